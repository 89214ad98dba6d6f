// Which options go together.
#pragma once

#include "cli/options/options.hpp"

namespace kann::cli {

/// Refuses options that exclude each other, that need others, and that no search, transfer or picture can accept. Of
/// the output, whose format may depend on the name of a query, check_output() sees to the rest. @throws Error usage.
void check_combinations(const Options& options);

/// Refuses what the format of the result has no place for. Its format is known. @throws Error usage.
void check_output(const Options& options);

}  // namespace kann::cli
