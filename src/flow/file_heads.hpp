// What the heads of the files of a search tell, before anything else in them is read.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/io.hpp"

#include "flow/file_clouds.hpp"
#include "flow/tile_memory.hpp"

namespace kann::flow {

struct FileHeads {
  std::optional<Cloud> data = {}, query = {};  ///< without rows; none where the head does not say it, and of no file
  bool have_places = false;                    ///< they say where all points are, as formats::RowsInHead has it
  bool are_estimated = false;                  ///< some do not say how many points there are
};

/// Bytes of memory that a GPU has at least.
inline constexpr double k_least_device = 2e9;

/// Whether so many rows of k neighbours take 250 MB. If they are only written, and GPUs find them, they are searched in
/// pieces: some are written while others arrive.
inline bool are_many_rows(std::int64_t queries, std::int64_t k) {
  return found_bytes(static_cast<double>(queries), static_cast<double>(k)) >= 2.5e8;
}

/// Whether the files are so small that the search fits in memory whatever is in them. Most are, and need not be looked
/// at twice. With a budget, none is: the size of a file does not say how much is compressed in it, or how many cells a
/// grid has.
bool are_surely_small(const FileRequest& request, double host);

/// Looks at the heads, and refuses what the search would refuse of them. Blocks.
/// @throws Error as formats::rows_in_head(); bad_input, usage: the clouds, or an option, do not go together.
FileHeads look_at_heads(const FileRequest& request);

/// The shape of the search as the heads tell it, with the size of a file in place of a number of points that its head
/// does not have, and as many cells in a grid as there are data points. None if they do not tell it. Blocks.
std::optional<SearchShape> shape_of_heads(const FileRequest& request);

}  // namespace kann::flow
