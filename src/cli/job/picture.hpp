// Draws the picture of the queries, coloured by what the options say.
#pragma once

#include "kann/render.hpp"

#include "cli/job/query_columns.hpp"
#include "cli/options/options.hpp"
#include "flow/rows/answer.hpp"

namespace kann::cli {

/// Draws the picture, of rows in memory or in blocks. Blocks.
/// @param columns null: nothing was computed but the rows
/// @param report has the unit of distances
/// @throws Error as render(), flow::AnswerBlocks::for_each(), and where colours are not three numbers of one type.
RenderResult draw_picture(const Options& options, const flow::AnswerBlocks& answer, const QueryColumns* columns,
                          const Report& report, int threads);

}  // namespace kann::cli
