// What a search in tiles is asked for.
#pragma once

#include <string>

#include "kann/search.hpp"

#include "tiles/plan.hpp"

namespace kann::tiles {

struct TileOptions {
  SearchOptions search;  ///< of the exact method
  TileSizes sizes;
  std::string folder;  ///< of temporary files, "": the current one
};

}  // namespace kann::tiles
