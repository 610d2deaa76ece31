// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// What the program does: parses its command line, and carries out the command. Returns the exit code; throws
/// Error. The arguments are those of main.
int run_program(int argc, char** argv);

}  // namespace rooflinectl
