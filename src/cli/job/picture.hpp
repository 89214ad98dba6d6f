// Draws the picture of the queries, coloured by what the options say.
#pragma once

#include "kann/render.hpp"

#include "cli/columns/computed_columns.hpp"
#include "cli/options/options.hpp"
#include "flow/rows/found.hpp"

namespace kann::cli {

/// Draws the picture, of rows in memory or in blocks. Blocks.
/// @param report has the unit of distances
/// @throws Error as render(), flow::Found::for_each(), and where colours are not three numbers of one type.
RenderResult draw_picture(const Options& options, const flow::Found& found, const ComputedColumns& columns,
                          const Report& report, int threads);

}  // namespace kann::cli
