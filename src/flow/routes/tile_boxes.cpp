#include "flow/routes/tile_boxes.hpp"

#include <algorithm>
#include <limits>

#include "geometry/distance.hpp"

namespace kann::flow {

TileBox::TileBox() {
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
}

void TileBox::add(const Coordinates& point) {
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = std::min(low[a], point[a]);
    high[a] = std::max(high[a], point[a]);
  }
}

void TileBox::add(const TileBox& other) {
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = std::min(low[a], other.low[a]);
    high[a] = std::max(high[a], other.high[a]);
  }
}

double TileBox::sq_distance(const Coordinates& query, int dimensions) const {
  Coordinates d{};
  for (int a = 0; a < dimensions; ++a) d[a] = std::max({low[a] - query[a], query[a] - high[a], 0.0});
  return dimensions == 3 ? geometry::sq_distance_3d(d[0], d[1], d[2]) : geometry::sq_distance_2d(d[0], d[1]);
}

void TileBoxes::add(std::uint32_t slice, const Coordinates& point, std::int64_t number) {
  if (first_number < 0 || number < first_number) first_number = number;
  boxes[slice % CurveSections::k_slices].add(point);
}

}  // namespace kann::flow
