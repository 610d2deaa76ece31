// SPDX-License-Identifier: Apache-2.0
#include "reports/reports.h"
