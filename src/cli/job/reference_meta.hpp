// Whether an earlier result that --compare names is of the same search.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Refuses the result in `file`, of which `meta` is what result_meta_json() has said, if it lacks neighbours that this
/// search finds: that of other numbers of points or dimensions, or another periodic box, with a smaller k or radius, or
/// without the points themselves. One with more is none the worse: a larger k or radius, or, with k + 1, the points
/// themselves. Texts that are not ours say nothing. Needs `report.data` and `report.query`.
/// @throws Error bad_input.
void check_reference_meta(std::string_view meta, const Options& options, const Report& report, const std::string& file);

}  // namespace kann::cli
