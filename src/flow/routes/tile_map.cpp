#include "flow/routes/tile_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

TileMap::TileMap(int dimensions, const std::vector<TileBoxes>& tiles) : dimensions_(dimensions), levels_(1) {
  levels_[0].reserve(tiles.size() * CurveSections::k_slices);
  first_number_.reserve(tiles.size());
  for (const TileBoxes& tile : tiles) {
    if (tile.section == home_.size()) home_.push_back(static_cast<std::uint32_t>(first_number_.size()));
    first_number_.push_back(tile.first_number);
    levels_[0].insert(levels_[0].end(), tile.boxes.begin(), tile.boxes.end());
  }
  while (levels_.size() <= k_tile_level || levels_.back().size() > 1) {
    const std::vector<TileBox>& below = levels_.back();
    std::vector<TileBox> above((below.size() + k_fanout - 1) / k_fanout);
    for (std::size_t i = 0; i < below.size(); ++i) above[i / k_fanout].add(below[i]);
    levels_.push_back(std::move(above));
  }
}

void TileMap::reached(const Coordinates& query, double sq_radius, std::int64_t id,
                      std::vector<std::uint32_t>& tiles) const {
  visit(levels_.size() - 1, 0, {query, sq_radius, id}, tiles);
}

std::size_t TileMap::next(std::span<const Coordinates> places, double sq_radius, std::int64_t id, std::size_t home,
                          std::size_t tile) const {
  thread_local std::vector<std::uint32_t> tiles;
  tiles.clear();
  for (const Coordinates& place : places) reached(place, sq_radius, id, tiles);
  const std::size_t count = size(), passed = (tile + count - home) % count;
  std::size_t nearest = count;
  for (const std::uint32_t other : tiles)
    if (const std::size_t way = (other + count - home) % count; way > passed) nearest = std::min(nearest, way);
  return nearest == count ? count : (home + nearest) % count;
}

bool TileMap::may_reach_others(const Coordinates& query, float distance, std::size_t home) const {
  // No distance that is rounded to this one is above the next, whose square float64 holds
  const double above = std::nextafter(distance, std::numeric_limits<float>::infinity());
  constexpr double slack = 1 + 0x1p-49;  // covers the rounding of rough_sq_distance()
  return may_reach(levels_.size() - 1, 0, query, above * above * slack, home);
}

bool TileMap::may_reach(std::size_t level, std::size_t node, const Coordinates& query, double sq_radius,
                        std::size_t home) const {
  if (level == k_tile_level && node == home) return false;
  if (!(levels_[level][node].rough_sq_distance(query) <= sq_radius)) return false;
  if (level == 0) return true;
  const std::size_t end = std::min(levels_[level - 1].size(), (node + 1) * k_fanout);
  for (std::size_t i = node * k_fanout; i < end; ++i)
    if (may_reach(level - 1, i, query, sq_radius, home)) return true;
  return false;
}

void TileMap::visit(std::size_t level, std::size_t node, const Bound& bound, std::vector<std::uint32_t>& tiles) const {
  if (level == k_tile_level) {
    // What is missing has the largest number: a tile without points, and a neighbour of a row that is not full
    const bool wins_ties = static_cast<std::uint64_t>(first_number_[node]) < static_cast<std::uint64_t>(bound.id);
    if (reaches(level, node, bound, wins_ties)) tiles.push_back(static_cast<std::uint32_t>(node));
    return;
  }
  if (!(levels_[level][node].sq_distance(bound.query, dimensions_) <= bound.sq_radius)) return;
  const std::size_t end = std::min(levels_[level - 1].size(), (node + 1) * k_fanout);
  for (std::size_t i = node * k_fanout; i < end; ++i) visit(level - 1, i, bound, tiles);
}

/// Whether a slice of a tile that lies in this box may hold such a neighbour.
bool TileMap::reaches(std::size_t level, std::size_t node, const Bound& bound, bool wins_ties) const {
  const double sq_distance = levels_[level][node].sq_distance(bound.query, dimensions_);
  if (!(sq_distance < bound.sq_radius || (wins_ties && sq_distance == bound.sq_radius))) return false;
  if (level == 0) return true;
  for (std::size_t i = node * k_fanout; i < (node + 1) * k_fanout; ++i)
    if (reaches(level - 1, i, bound, wins_ties)) return true;
  return false;
}

}  // namespace kann::flow
