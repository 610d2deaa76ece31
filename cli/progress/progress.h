// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal.h"
#include "runner/measuring/measure.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

/// Shows on standard output what is measured and where the results go, and on standard error, on `display`,
/// how far it has come and how much longer it will take: on a terminal in one line that is rewritten,
/// elsewhere in one line per result. With `Verbosity::quiet` only failures and warnings are shown. `device`
/// begins every line where several devices share the display, such as `GPU 1`.
MeasureObserver progress_on(ProgressDisplay& display, Verbosity verbosity, const std::string& device = {});

/// Measures, and shows how it proceeds.
MeasureResult measure_with_progress(const MeasureRequest& request, Verbosity verbosity);

/// After Ctrl-C or SIGTERM: no reports, the user wants out. Prints what is kept and `to_finish`, how to get
/// the rest (empty: by resuming the run), and returns the exit code.
int end_interrupted(const MeasureResult& result, const std::string& to_finish = {});

/// Shows on standard error how far a profiled program is: a line when another pass begins, and now and then,
/// less and less often. Nothing is rewritten in place, since the program may write to the same terminal.
ProfileObserver profile_progress(Verbosity verbosity);

}  // namespace rooflinectl
