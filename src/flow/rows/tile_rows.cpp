#include "flow/rows/tile_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>

#include "base/threads/parallel.hpp"
#include "geometry/distance.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/within_radius.hpp"

namespace kann::flow {
namespace {

constexpr std::int64_t k_largest_id = (std::int64_t{1} << 62) - 1;  // tells the compiler that 63 bits hold an id

template <class T>
TileNeighbor neighbor(const T* point, std::int64_t id, const T* query, std::size_t dimensions,
                      const std::optional<geometry::WithinRadius>& is_within) {
  std::array<double, 3> d{};
  for (std::size_t a = 0; a < dimensions; ++a) d[a] = double{query[a]} - double{point[a]};
  const double sq_dist =
      dimensions == 3 ? geometry::sq_distance_3d(d[0], d[1], d[2]) : geometry::sq_distance_2d(d[0], d[1]);
  return {sq_dist, id & k_largest_id, is_within && !(*is_within)(d)};
}

}  // namespace

template <class T>
TileRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                      const Neighbors& found, int dimensions, std::optional<double> radius, int threads) {
  TileRows rows(found.ids.size());
  std::optional<geometry::WithinRadius> is_within;
  if (radius) is_within.emplace(*radius);
  const auto d = static_cast<std::size_t>(dimensions), k = static_cast<std::size_t>(found.k);
  base::parallel_blocks(found.queries, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (auto q = static_cast<std::size_t>(begin); q < static_cast<std::size_t>(end); ++q) {
      const std::span<TileNeighbor> row = std::span(rows).subspan(q * k, k);
      for (std::size_t i = 0; i < k; ++i) {
        const std::int32_t id = found.ids[q * k + i];
        const auto point = static_cast<std::size_t>(id);
        row[i] = id == k_missing_id
                     ? TileNeighbor::missing()
                     : neighbor(tile.data() + point * d, ids[point], queries.data() + q * d, d, is_within);
      }
      // It is in the order of its float32 distances
      if (!std::ranges::is_sorted(row, std::less<TileNeighbor>())) std::ranges::sort(row, std::less<TileNeighbor>());
    }
  });
  return rows;
}

template TileRows rows_in_tile(std::span<const float>, std::span<const std::int64_t>, std::span<const float>,
                               const Neighbors&, int, std::optional<double>, int);
template TileRows rows_in_tile(std::span<const double>, std::span<const std::int64_t>, std::span<const double>,
                               const Neighbors&, int, std::optional<double>, int);

TileRows without_own(std::span<const std::int64_t> queries, std::span<const TileNeighbor> rows, int threads) {
  if (queries.empty()) return {};
  const std::size_t k = rows.size() / queries.size();
  TileRows others(queries.size() * (k - 1));
  base::parallel_for(std::ssize(queries), threads, [&](std::int64_t query) {
    const auto i = static_cast<std::size_t>(query);
    std::size_t to = i * (k - 1);
    const std::size_t end = to + k - 1;
    for (std::size_t at = i * k; at < (i + 1) * k && to < end; ++at)
      if (rows[at].id != queries[i]) others[to++] = rows[at];
  });
  return others;
}

void RowCounts::add(std::span<const TileNeighbor> row) {
  std::size_t given = 0;
  for (const TileNeighbor& neighbor : row) {
    if (!is_given(neighbor)) continue;
    ++given;
    most_sq_dist = std::max(most_sq_dist, neighbor.sq_dist);
    past_float32 += neighbor.sq_dist >= 0x1p255 && std::isinf(geometry::rounded_root(neighbor.sq_dist));
  }
  neighbors += static_cast<std::int64_t>(given);
  full_rows += given == row.size();
}

void RowCounts::add(const RowCounts& other) {
  neighbors += other.neighbors;
  full_rows += other.full_rows;
  past_float32 += other.past_float32;
  most_sq_dist = std::max(most_sq_dist, other.most_sq_dist);
}

void write_row(std::span<const TileNeighbor> row, std::optional<AngleUnit> sky, std::span<std::int64_t> ids,
               std::span<float> distances) {
  std::size_t given = 0;
  for (const TileNeighbor& neighbor : row) {
    if (!is_given(neighbor)) continue;
    distances[given] =
        sky ? static_cast<float>(sphere_distance(neighbor.sq_dist, *sky)) : geometry::rounded_root(neighbor.sq_dist);
    ids[given++] = neighbor.id;
  }
  std::ranges::fill(ids.subspan(given), std::int64_t{k_missing_id});
  std::ranges::fill(distances.subspan(given), std::numeric_limits<float>::infinity());
  // Neighbours that float64 tells apart may be equally far as float32
  for (std::size_t begin = 0, end; begin < given; begin = end) {
    for (end = begin + 1; end < given && distances[end] == distances[begin];) ++end;
    if (end - begin > 1) std::ranges::sort(ids.subspan(begin, end - begin));
  }
}

void merge(std::span<TileNeighbor> row, std::span<const TileNeighbor> other, std::vector<TileNeighbor>& scratch) {
  scratch.assign(row.begin(), row.end());
  auto a = scratch.cbegin();
  auto b = other.begin();
  for (TileNeighbor& place : row) place = b != other.end() && *b < *a ? *b++ : *a++;
}

void merge_images(std::span<TileNeighbor> row, std::span<const TileNeighbor> of_images,
                  std::vector<TileNeighbor>& scratch) {
  scratch.assign(row.begin(), row.end());
  scratch.insert(scratch.end(), of_images.begin(), of_images.end());
  std::erase_if(scratch, [](const TileNeighbor& n) { return n.id < 0; });
  std::ranges::sort(scratch, [](const TileNeighbor& a, const TileNeighbor& b) {
    return a.id != b.id ? a.id < b.id : a.sq_dist < b.sq_dist;
  });
  const auto is_same = [](const TileNeighbor& a, const TileNeighbor& b) { return a.id == b.id; };
  scratch.erase(std::unique(scratch.begin(), scratch.end(), is_same), scratch.end());
  std::ranges::sort(scratch, std::less<TileNeighbor>());
  scratch.resize(std::min(scratch.size(), row.size()));
  std::ranges::fill(std::ranges::copy(scratch, row.begin()).out, row.end(), TileNeighbor::missing());
}

}  // namespace kann::flow
