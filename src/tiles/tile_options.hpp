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

  /// Says how much of the search is done, if anyone wants to know.
  void show_progress(double fraction) const {
    if (search.on_progress) search.on_progress("search", fraction);
  }
};

}  // namespace kann::tiles
