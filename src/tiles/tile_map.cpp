#include "tiles/tile_map.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "geometry/distance.hpp"

namespace kann::tiles {

TileMap::Box::Box() {
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
}

void TileMap::Box::add(const Coordinates& point) {
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = std::min(low[a], point[a]);
    high[a] = std::max(high[a], point[a]);
  }
}

void TileMap::Box::add(const Box& other) {
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = std::min(low[a], other.low[a]);
    high[a] = std::max(high[a], other.high[a]);
  }
}

/// No more than that to any point in the box, in the same arithmetic: rounding is monotone in each difference. Infinite
/// for an empty box.
double TileMap::Box::sq_distance(const Coordinates& query, int dimensions) const {
  Coordinates d{};
  for (int a = 0; a < dimensions; ++a) d[a] = std::max({low[a] - query[a], query[a] - high[a], 0.0});
  return dimensions == 3 ? geometry::sq_distance_3d(d[0], d[1], d[2]) : geometry::sq_distance_2d(d[0], d[1]);
}

TileMap::TileMap(int dimensions, std::vector<std::uint64_t> first)
    : dimensions_(dimensions),
      first_(std::move(first)),
      run_of_(first_.size()),
      first_row_(first_.size(), -1),
      boxes_(k_boxes * first_.size()) {
  std::iota(run_of_.begin(), run_of_.end(), 0);
}

std::size_t TileMap::add_tile(std::size_t tile) {
  run_of_.push_back(run_of_[tile]);
  first_row_.push_back(-1);
  boxes_.resize(boxes_.size() + k_boxes);
  return run_of_.size() - 1;
}

std::size_t TileMap::tile_of(std::uint64_t position) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_, position) - first_.begin()) - 1;
}

void TileMap::add(std::size_t tile, std::uint64_t position, const Coordinates& point, std::int64_t row) {
  if (first_row_[tile] < 0) first_row_[tile] = row;
  const std::size_t run = run_of_[tile];
  const std::uint64_t begin = first_[run];
  const std::uint64_t end = run + 1 < first_.size() ? first_[run + 1] : std::uint64_t{1} << 60;
  const std::uint64_t part = (end - begin) / k_boxes + 1;
  boxes_[k_boxes * tile + std::min<std::uint64_t>((position - begin) / part, k_boxes - 1)].add(point);
}

void TileMap::finish() {
  std::vector<Box> level(size());
  for (std::size_t i = 0; i < boxes_.size(); ++i) level[i / k_boxes].add(boxes_[i]);
  levels_.push_back(std::move(level));
  while (levels_.back().size() > 1) {
    const std::vector<Box>& below = levels_.back();
    std::vector<Box> above((below.size() + k_fanout - 1) / k_fanout);
    for (std::size_t i = 0; i < below.size(); ++i) above[i / k_fanout].add(below[i]);
    levels_.push_back(std::move(above));
  }
}

void TileMap::reached(const Coordinates& query, double sq_radius, std::int64_t id,
                      std::vector<std::uint32_t>& tiles) const {
  visit(levels_.size() - 1, 0, {query, sq_radius, id}, tiles);
}

void TileMap::visit(std::size_t level, std::size_t node, const Bound& bound, std::vector<std::uint32_t>& tiles) const {
  if (!(levels_[level][node].sq_distance(bound.query, dimensions_) <= bound.sq_radius)) return;
  if (level > 0) {
    const std::size_t end = std::min(levels_[level - 1].size(), (node + 1) * k_fanout);
    for (std::size_t i = node * k_fanout; i < end; ++i) visit(level - 1, i, bound, tiles);
    return;
  }
  // What is missing has the largest number
  const bool wins_ties = static_cast<std::uint64_t>(first_row_[node]) < static_cast<std::uint64_t>(bound.id);
  for (std::size_t i = 0; i < k_boxes; ++i) {
    const double sq_distance = boxes_[node * k_boxes + i].sq_distance(bound.query, dimensions_);
    if (!(sq_distance < bound.sq_radius || (wins_ties && sq_distance == bound.sq_radius))) continue;
    tiles.push_back(static_cast<std::uint32_t>(node));
    return;
  }
}

}  // namespace kann::tiles
