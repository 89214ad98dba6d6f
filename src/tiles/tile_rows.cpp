#include "tiles/tile_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "geometry/distance.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::tiles {
namespace {

double sq_distance(const PointsView& p, std::int64_t i, const PointsView& q, std::int64_t j) {
  double d[3] = {};
  for (int a = 0; a < p.dimensions; ++a) d[a] = q.at(j, a) - p.at(i, a);
  return p.dimensions == 3 ? geometry::sq_distance_3d(d[0], d[1], d[2]) : geometry::sq_distance_2d(d[0], d[1]);
}

}  // namespace

TileRows rows_in_tile(const PointsView& tile, std::span<const std::int64_t> ids, const PointsView& queries,
                      const Neighbors& found, int threads) {
  TileRows rows(found.ids.size());
  base::parallel_blocks(found.queries, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * found.k; i < end * found.k; ++i)
      if (const std::int32_t point = found.ids[static_cast<std::size_t>(i)]; point != k_missing_id)
        rows[static_cast<std::size_t>(i)] = {sq_distance(tile, point, queries, i / found.k),
                                             ids[static_cast<std::size_t>(point)]};
    // A row is in the order of its float32 distances
    for (std::int64_t q = begin; q < end; ++q) std::sort(rows.begin() + q * found.k, rows.begin() + (q + 1) * found.k);
  });
  return rows;
}

void write_row(std::span<const TileNeighbor> row, std::span<std::int64_t> ids, std::span<float> distances) {
  std::vector<std::pair<float, std::uint64_t>> written;  // what is missing has the largest number
  for (const TileNeighbor& neighbor : row)
    written.emplace_back(geometry::rounded_root(neighbor.sq_dist), static_cast<std::uint64_t>(neighbor.id));
  std::ranges::sort(written);
  for (std::size_t i = 0; i < written.size(); ++i) {
    distances[i] = written[i].first;
    ids[i] = static_cast<std::int64_t>(written[i].second);
  }
}

void merge(std::span<TileNeighbor> row, std::span<const TileNeighbor> other) {
  std::vector<TileNeighbor> first(row.begin(), row.end());
  auto a = first.cbegin();
  auto b = other.begin();
  for (TileNeighbor& place : row) place = b != other.end() && *b < *a ? *b++ : *a++;
}

}  // namespace kann::tiles
