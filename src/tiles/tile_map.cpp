#include "tiles/tile_map.hpp"

#include <algorithm>
#include <utility>

namespace kann::tiles {

TileMap::TileMap(int dimensions, std::vector<TileBoxes> tiles) : dimensions_(dimensions), tiles_(std::move(tiles)) {
  std::vector<TileBox> level(size());
  for (std::size_t i = 0; i < size(); ++i) {
    for (const TileBox& part : tiles_[i].parts) level[i].add(part);
    if (tiles_[i].run == home_.size()) home_.push_back(static_cast<std::uint32_t>(i));
  }
  levels_.push_back(std::move(level));
  while (levels_.back().size() > 1) {
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

void TileMap::visit(std::size_t level, std::size_t node, const Bound& bound, std::vector<std::uint32_t>& tiles) const {
  if (!(levels_[level][node].sq_distance(bound.query, dimensions_) <= bound.sq_radius)) return;
  if (level > 0) {
    const std::size_t end = std::min(levels_[level - 1].size(), (node + 1) * k_fanout);
    for (std::size_t i = node * k_fanout; i < end; ++i) visit(level - 1, i, bound, tiles);
    return;
  }
  // What is missing has the largest number: a tile without points, and a neighbour of a row that is not full
  const TileBoxes& tile = tiles_[node];
  const bool wins_ties = static_cast<std::uint64_t>(tile.first_row) < static_cast<std::uint64_t>(bound.id);
  for (const TileBox& part : tile.parts) {
    const double sq_distance = part.sq_distance(bound.query, dimensions_);
    if (!(sq_distance < bound.sq_radius || (wins_ties && sq_distance == bound.sq_radius))) continue;
    tiles.push_back(static_cast<std::uint32_t>(node));
    return;
  }
}

}  // namespace kann::tiles
