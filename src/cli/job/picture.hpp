// Draws the picture of the queries, coloured by what the options say.
#pragma once

#include "kann/render.hpp"

#include "cli/job/query_columns.hpp"
#include "cli/options/options.hpp"
#include "flow/rows/answer.hpp"

namespace kann::cli {

/// Bytes of memory of the picture: for a pixel, render() takes 19, and the file is made in memory.
inline double picture_bytes(const Options& options) {
  constexpr double bytes_per_pixel = 24;
  const PictureSize size = options.picture_size.value_or(PictureSize());
  return bytes_per_pixel * size.width * size.height;
}

/// Draws the picture, of rows in memory or in blocks. Blocks.
/// @param columns null: nothing was computed but the rows
/// @throws Error as render(), flow::AnswerBlocks::for_each(), and where colours are not three numbers of one type.
RenderResult draw_picture(const Options& options, const flow::AnswerBlocks& answer, const QueryColumns* columns,
                          int threads);

}  // namespace kann::cli
