// SPDX-License-Identifier: Apache-2.0
// Nothing: its precompiled headers are those of the libraries.
