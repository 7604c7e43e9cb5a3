#pragma once
// Ctrl-C: the first asks the program to come to an end, the second kills it. And last words when an
// assumption of the program breaks.

namespace mirrorproof::cli {

/// From now on SIGINT and SIGTERM are remembered once; another one then kills.
void catch_interrupts();
bool interrupted();

/// A failed MP_CHECK ends with exit code 70 and says which seed was being run.
void explain_aborts();

}  // namespace mirrorproof::cli
