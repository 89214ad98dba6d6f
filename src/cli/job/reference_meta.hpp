// Checks whether the earlier result that --compare names belongs to the same search.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// What a reference says about itself.
struct ReferenceClaims {
  bool is_exact = false;  ///< it is an exact result of ours or a ground truth: nothing is nearer than its neighbours
  double tolerance = 0;  ///< relative error of its distances: programs that make ground truths often compare in float32
  std::vector<std::string> warnings = {};
};

/// Refuses the result in `file` if `meta`, the text that result_meta_json() made for it, describes another search: with
/// other clouds, k, radius or periodic box, or without the points themselves. If this search leaves out the points
/// themselves, a result that includes them serves as well if its k is larger by 1. A text of another program says
/// nothing. Needs `report.data` and `report.query`, with their hashes. @throws Error bad_input.
ReferenceClaims check_reference_meta(std::string_view meta, const Options& options, const Report& report,
                                     const std::string& file);

/// Refuses a reference that has fewer neighbours per query than this search finds. @throws Error bad_input.
void check_reference_size(std::int64_t k, const Options& options, const Report& report, const std::string& file);

}  // namespace kann::cli
