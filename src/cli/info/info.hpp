// kann info: says what is in files.
#pragma once

#include "cli/options/options.hpp"

namespace kann::cli {

/// Prints what is in each of Options::files. An error of one is printed in its place, and the others follow. Blocks.
/// Returns the exit code: that of the first error, else 0. @throws Error resources, formats::ReaderGone: stdout cannot
/// be written.
int show_contents(const Options& options);

}  // namespace kann::cli
