// kann check: judges stored results.
#pragma once

#include <string>

#include "cli/job/job.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

/// Whether a cloud is looked for beside the result before it is looked for from the current folder.
struct Beside {
  bool data = false, query = false;
};

/// The options of the search that made a stored result, from its `meta`: which clouds it read and how, what it asked
/// for.
/// @param asked how to judge, and what to print
/// @throws Error bad_input: the file has no meta of kann, or no rows of k neighbours.
Options options_of_result(const std::string& result, const Options& asked, Beside beside);

/// Judges each of Options::files and prints how it did. An error of one is printed in its place, and the others follow.
/// Blocks. Returns the exit code of the first that failed, else 0. @throws Error resources, formats::ReaderGone: stdout
/// cannot be written.
int check_results(const Options& options);

}  // namespace kann::cli
