// What the heads of the files of a search tell, before anything else in them is read.
#pragma once

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

/// Looks at the heads, and refuses what the search would refuse of them. Blocks.
/// @throws Error as formats::rows_in_head(); bad_input, usage: the clouds, or an option, do not go together.
FileHeads look_at_heads(const FileRequest& request);

/// The shape of the search as the heads tell it, with the size of a file in place of a number of points that its head
/// does not have, and as many cells in a grid as there are data points. None if they do not tell it. Blocks.
std::optional<SearchShape> shape_of_heads(const FileRequest& request);

}  // namespace kann::flow
