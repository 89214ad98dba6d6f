#include "tiles/tile_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "base/parallel.hpp"
#include "geometry/distance.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::tiles {
namespace {

template <class T>
double sq_distance(const T* p, const T* q, std::size_t dimensions) {
  double d[3] = {};
  for (std::size_t a = 0; a < dimensions; ++a) d[a] = double{q[a]} - double{p[a]};
  return dimensions == 3 ? geometry::sq_distance_3d(d[0], d[1], d[2]) : geometry::sq_distance_2d(d[0], d[1]);
}

}  // namespace

template <class T>
TileRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                      const Neighbors& found, int dimensions, int threads) {
  TileRows rows(found.ids.size());
  const auto d = static_cast<std::size_t>(dimensions), k = static_cast<std::size_t>(found.k);
  base::parallel_blocks(found.queries, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (auto q = static_cast<std::size_t>(begin); q < static_cast<std::size_t>(end); ++q) {
      const std::span<TileNeighbor> row = std::span(rows).subspan(q * k, k);
      for (std::size_t i = 0; i < k; ++i)
        if (const std::int32_t id = found.ids[q * k + i]; id != k_missing_id) {
          const auto point = static_cast<std::size_t>(id);
          row[i] = {sq_distance(tile.data() + point * d, queries.data() + q * d, d), ids[point]};
        }
      // It is in the order of its float32 distances
      if (!std::ranges::is_sorted(row, std::less<TileNeighbor>())) std::ranges::sort(row, std::less<TileNeighbor>());
    }
  });
  return rows;
}

template TileRows rows_in_tile(std::span<const float>, std::span<const std::int64_t>, std::span<const float>,
                               const Neighbors&, int, int);
template TileRows rows_in_tile(std::span<const double>, std::span<const std::int64_t>, std::span<const double>,
                               const Neighbors&, int, int);

void write_row(std::span<const TileNeighbor> row, std::span<std::int64_t> ids, std::span<float> distances) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    distances[i] = geometry::rounded_root(row[i].sq_dist);
    ids[i] = row[i].id;
  }
  // Neighbours that float64 tells apart may be equally far as float32; what is missing has the largest number
  for (std::size_t begin = 0, end; begin < row.size(); begin = end) {
    for (end = begin + 1; end < row.size() && distances[end] == distances[begin];) ++end;
    if (end - begin > 1)
      std::ranges::sort(ids.subspan(begin, end - begin), {},
                        [](std::int64_t id) { return static_cast<std::uint64_t>(id); });
  }
}

void merge(std::span<TileNeighbor> row, std::span<const TileNeighbor> other, std::vector<TileNeighbor>& scratch) {
  scratch.assign(row.begin(), row.end());
  auto a = scratch.cbegin();
  auto b = other.begin();
  for (TileNeighbor& place : row) place = b != other.end() && *b < *a ? *b++ : *a++;
}

}  // namespace kann::tiles
