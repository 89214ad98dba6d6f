#include "tiles/plan.hpp"

#include <algorithm>
#include <cmath>

#include "tiles/tile_boxes.hpp"

namespace kann::tiles {
namespace {

/// The program itself, its threads, and blocks of files on their way.
constexpr double k_fixed = 48e6;

constexpr double k_min_tile = 4096;
constexpr std::size_t k_min_chunk = 4096, k_max_chunk = std::size_t{1} << 18;

/// Tiles are this much larger than asked for, at most.
constexpr double k_slack = 1.25;

double coordinate_bytes(const SearchShape& shape) { return shape.dimensions * (shape.is_float64 ? 8.0 : 4.0); }

/// Of a point of the data that are searched, beside the point itself: boxes, and the places along the curve. Measured
/// on a CPU, 3-D: 42 bytes, 81 of float64.
double order_bytes(const SearchShape& shape) { return shape.is_float64 ? 95 : 50; }

/// The same in a tile, with the point, its number, and both as they were read.
double data_bytes(const SearchShape& shape) { return 2 * (8 + coordinate_bytes(shape)) + order_bytes(shape); }

/// Of a query that is searched: the point, its order, its rows as they were found and as they are merged.
double query_bytes(const SearchShape& shape) {
  return 2 * (12 + coordinate_bytes(shape)) + 80 + 40 * static_cast<double>(shape.k);
}

double row_bytes(const SearchShape& shape) { return 40 + 36 * static_cast<double>(shape.k); }

/// The sequences of all temporary files.
double sequences(const SearchShape& shape, const TileSizes& sizes) {
  const double tiles = std::ceil(static_cast<double>(shape.data) / static_cast<double>(sizes.tile_points));
  return 3 * tiles + std::ceil(static_cast<double>(shape.queries) / static_cast<double>(sizes.block_rows));
}

double bytes_with(const SearchShape& shape, const TileSizes& sizes) {
  const double tile = k_slack * static_cast<double>(std::min(sizes.tile_points, shape.data));
  const double queries = shape.is_self ? tile : static_cast<double>(std::min(sizes.piece_queries, shape.queries));
  const double search = tile * data_bytes(shape) + queries * query_bytes(shape);
  const double rows = static_cast<double>(std::min(sizes.block_rows, shape.queries)) * row_bytes(shape);
  const double tiles = std::ceil(static_cast<double>(shape.data) / static_cast<double>(sizes.tile_points));
  return k_fixed + std::max(search, rows) + sequences(shape, sizes) * static_cast<double>(sizes.chunk_bytes) +
         2 * tiles * sizeof(TileBoxes);
}

TileSizes sizes_of(const SearchShape& shape, double tile_points) {
  TileSizes sizes;
  sizes.tile_points = static_cast<std::int64_t>(tile_points);
  sizes.piece_queries = sizes.tile_points;
  const double search = tile_points * (data_bytes(shape) + query_bytes(shape));
  sizes.block_rows = std::max<std::int64_t>(1024, static_cast<std::int64_t>(search / row_bytes(shape)));
  sizes.chunk_bytes = k_max_chunk;
  const double share = search / 4 / sequences(shape, sizes);
  sizes.chunk_bytes = std::clamp(static_cast<std::size_t>(share), k_min_chunk, k_max_chunk);
  return sizes;
}

}  // namespace

double bytes_in_memory(const SearchShape& shape) {
  constexpr double query_order = 28;  // beside the point
  const double data = static_cast<double>(shape.data) * (coordinate_bytes(shape) + order_bytes(shape));
  const double query = shape.is_self ? 0 : coordinate_bytes(shape) + query_order;
  return k_fixed + data + static_cast<double>(shape.queries) * (query + 8 * static_cast<double>(shape.k));
}

std::optional<TileSizes> tile_sizes(const SearchShape& shape, double budget) {
  const double smallest = std::max(k_min_tile, static_cast<double>(shape.k) + 1);
  for (double points = std::max(smallest, static_cast<double>(shape.data)); points >= smallest; points *= 0.9)
    if (const TileSizes sizes = sizes_of(shape, points); bytes_with(shape, sizes) <= budget) return sizes;
  return std::nullopt;
}

double smallest_budget(const SearchShape& shape) {
  double least = bytes_in_memory(shape);
  const double smallest = std::max(k_min_tile, static_cast<double>(shape.k) + 1);
  for (double points = std::max(smallest, static_cast<double>(shape.data)); points >= smallest; points *= 0.9)
    least = std::min(least, bytes_with(shape, sizes_of(shape, points)));
  return least;
}

}  // namespace kann::tiles
