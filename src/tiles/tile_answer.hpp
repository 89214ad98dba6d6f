// The result of a search in tiles or pieces.
#pragma once

#include "tiles/row_store.hpp"
#include "tiles/tile_report.hpp"

namespace kann::tiles {

struct TileAnswer {
  RowStore rows;
  TileReport report;
};

}  // namespace kann::tiles
