// --radius NAME and --min-radius: what each query allows its neighbours to be.
#pragma once

#include <string>
#include <vector>

#include "kann/io.hpp"
#include "kann/limits.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

struct QueryLimits {
  std::vector<double> radii = {}, min_radii = {};  ///< one for each query, or one for all; empty: no limit

  Limits view() const { return {radii, min_radii, {}}; }
};

/// The attributes of the queries that have limits.
std::vector<std::string> names_of_limits(const Options& options);

/// The queries were read with read_options_of(). @throws Error bad_input: an attribute is text, or a query that is
/// searched has no number of at least 0.
QueryLimits limits_of(const Options& options, const Cloud& queries);

}  // namespace kann::cli
