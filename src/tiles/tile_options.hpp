// What a search in tiles is asked for.
#pragma once

#include <string>

#include "kann/search.hpp"

#include "tiles/plan.hpp"

namespace kann::tiles {

struct TileOptions {
  SearchOptions search;  ///< an exact search
  TileSizes sizes;
  std::string folder;  ///< where temporary files go; "": the current folder

  /// Says how much of the search is done, if anyone wants to know.
  void show_progress(double fraction) const {
    if (search.on_progress) search.on_progress("search", fraction);
  }
};

}  // namespace kann::tiles
