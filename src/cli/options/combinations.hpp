// Which options go together.
#pragma once

#include "cli/options/options.hpp"

namespace kann::cli {

/// Refuses options that exclude each other, that lack others they need, or that no search, transfer or picture can
/// accept. check_output() does the checks that need the format of the output, which may depend on the name of a query.
/// @throws Error usage.
void check_combinations(const Options& options);

/// Refuses options about a result, and what nothing would show, where a search only prints statistics or draws. In a
/// list of jobs, each line may name an output. @throws Error usage.
void check_is_written(const Options& options);

/// Refuses what the format of the result has no place for. The format must be known. @throws Error usage.
void check_output(const Options& options);

}  // namespace kann::cli
