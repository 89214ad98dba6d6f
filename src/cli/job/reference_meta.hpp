// Whether an earlier result that --compare names is of the same search.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// What a reference says of itself.
struct ReferenceClaims {
  bool is_exact = false;   ///< it is an exact result of ours, or a ground truth: nothing is nearer than its neighbours
  bool is_silent = false;  ///< nothing says what it is
  double tolerance = 0;    ///< relative, of its distances: programs that make ground truths often compare in float32
  std::vector<std::string> warnings = {};
};

/// Refuses the result in `file`, of which `meta` is what result_meta_json() has said, if it is of another search: with
/// other clouds, k, radius or periodic box, or without the points themselves. Of a search without them, a result of k +
/// 1 with them is none the worse. Texts that are not ours say nothing. Needs `report.data` and `report.query`, with
/// their hashes. @throws Error bad_input.
ReferenceClaims check_reference_meta(std::string_view meta, const Options& options, const Report& report,
                                     const std::string& file);

/// Refuses a reference that has fewer neighbours per query than this search finds. @throws Error bad_input.
void check_reference_size(std::int64_t k, const Options& options, const Report& report, const std::string& file);

}  // namespace kann::cli
