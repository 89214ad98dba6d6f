#include "flow/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/routes/tile_boxes.hpp"
#include "problem/parameters.hpp"
#include "search/device_memory.hpp"

namespace kann::flow {
namespace {

/// The program itself, its threads, and blocks of files on their way.
constexpr double k_fixed = 48e6;

/// One search has fewer than 2³¹ points, and a tile may be larger than asked for. A search of fewer than the smallest
/// takes longer to begin than to end.
constexpr double k_min_tile = 4096, k_max_tile = 0x1p30;
constexpr std::size_t k_min_chunk = 4096, k_max_chunk = std::size_t{1} << 18;

/// Tiles of exact searches are this much larger than asked for, at most.
constexpr double k_slack = 1.25;

/// Tiles and pieces are tried from the largest on: each is this part of the one before.
constexpr double k_next_tile = 0.9;
double smallest_tile(const SearchShape& shape) { return std::max(k_min_tile, static_cast<double>(shape.k) + 1); }
double largest_tile(const SearchShape& shape) {
  return std::clamp(static_cast<double>(shape.data), smallest_tile(shape), std::max(smallest_tile(shape), k_max_tile));
}

double coordinate_bytes(const SearchShape& shape) { return shape.dimensions * (shape.is_float64 ? 8.0 : 4.0); }

/// Memory per data point while it is searched, beside the point itself: boxes, and places along the curve. Measured on
/// a CPU in 3-D: 42 bytes, with float64 81.
double order_bytes(const SearchShape& shape) { return shape.is_float64 ? 95 : 50; }

/// Memory per data point of a tile: its order, the point, its number, and both as they were read.
double data_bytes(const SearchShape& shape) { return 2 * (8 + coordinate_bytes(shape)) + order_bytes(shape); }

/// Memory per query while its tile is searched: the point and its order, and 60 bytes per neighbour, at most. A
/// neighbour takes 16 bytes in the query's row, in the record that arrived, in the row of this tile and in the record
/// that goes on, and 8 as it was found and in a finished row; these do not exist at the same time.
double query_bytes(const SearchShape& shape) {
  return 2 * (12 + coordinate_bytes(shape)) + 80 + 60 * static_cast<double>(shape.k);
}

/// Memory per finished row: as a record, in a block (there are two of these), and as it is written.
/// Products take the block with the points that it needs: data points as numbers (twice, as they are sorted), as they
/// are read and with their attributes; queries with copies of their attributes; columns as they are made and converted.
double row_bytes(const SearchShape& shape) {
  const ProductShape& products = shape.products;
  const auto k = static_cast<double>(shape.k);
  double bytes = 48 + 52 * k + 16.0 * products.columns;
  const double named = products.has_reference ? 2 * k + 1 : k;
  if (products.reads_data) bytes += named * (24 + coordinate_bytes(shape) + shape.data_attributes) + 8 * k;
  if (products.reads_queries) bytes += 3 * (coordinate_bytes(shape) + shape.query_attributes);
  return bytes;
}

double tiles_of(const SearchShape& shape, double tile_points) {
  return std::max(1.0, std::ceil(static_cast<double>(shape.data) / tile_points));
}

/// Device memory that a search of so many points takes.
double bytes_on_device(const SearchShape& shape, double data, double queries) {
  const auto k = static_cast<double>(shape.k);
  return detail::device_bytes(
      {data, shape.is_self ? data : queries, k, shape.dimensions, shape.is_float64, shape.is_self});
}

/// How many sequences all temporary files have together.
double sequences(const SearchShape& shape, const TileSizes& sizes) {
  const double tiles = tiles_of(shape, static_cast<double>(sizes.tile_points));
  return 3 * tiles + std::ceil(static_cast<double>(shape.queries) / static_cast<double>(sizes.block_rows));
}

/// The searches that one in a periodic box is made of, in tiles: one of the queries as they are, one of images. Both of
/// points that were moved, in float64.
SearchShape without_box(SearchShape shape) {
  if (shape.is_periodic) shape.is_float64 = true;
  shape.is_periodic = false;
  return shape;
}
SearchShape of_images(const SearchShape& shape) {
  SearchShape images = without_box(shape);
  images.is_self = false;
  images.k += shape.is_self ? 1 : 0;
  return images;
}

double bytes_with(const SearchShape& shape, const TileSizes& sizes) {
  if (shape.is_periodic) {
    constexpr double part_chunk = 4096;  // of RowParts
    const double parts = 16 * static_cast<double>(shape.queries) / static_cast<double>(sizes.block_rows) + 1;
    return std::max(bytes_with(without_box(shape), sizes), bytes_with(of_images(shape), sizes)) + part_chunk * parts +
           8.0 * shape.dimensions * static_cast<double>(sizes.read_points);
  }
  const double tile = k_slack * static_cast<double>(std::min(sizes.tile_points, shape.data));
  const double queries = shape.is_self ? tile : static_cast<double>(std::min(sizes.piece_queries, shape.queries));
  const double search = tile * data_bytes(shape) + queries * query_bytes(shape);
  const double rows = static_cast<double>(std::min(sizes.block_rows, shape.queries)) * row_bytes(shape);
  const double tiles = tiles_of(shape, static_cast<double>(sizes.tile_points));
  return k_fixed + std::max(search, rows + shape.products.fixed) +
         sequences(shape, sizes) * static_cast<double>(sizes.chunk_bytes) + 2 * tiles * sizeof(TileBoxes);
}

/// Memory per point for a copy of the valid points and of their row numbers.
double valid_bytes(const SearchShape& shape) { return shape.may_skip ? coordinate_bytes(shape) + 4 : 0; }

/// Memory of all data, where they are in memory as a whole.
double bytes_of_data(const SearchShape& shape) {
  double order = order_bytes(shape);
  if (shape.shifts > 0) order = std::max(order, (shape.is_float64 ? 95.0 : 60.0) + 20 * (shape.shifts - 1));
  return static_cast<double>(shape.data) * (coordinate_bytes(shape) + order + valid_bytes(shape));
}

/// Memory per query in a search in memory, beside its row. Measured on a CPU with 3·10⁶ points (2-D and 3-D, float32,
/// float64 and both, with and without skipped points, k from 1 to 30): with the data, the plan is 1 to 1.8 times what
/// the system reported.
double query_bytes_in_memory(const SearchShape& shape) {
  const double point = coordinate_bytes(shape);
  double bytes = 4;
  if (!shape.is_self) {
    bytes = 2 * point + 32;
    if (shape.is_mixed) bytes += 1.5 * point;  // brought to the other type
  }
  if (shape.shifts > 0) bytes += 9 + 4 * shape.shifts;
  bytes += valid_bytes(shape);
  // Rows of the valid ones become those of all when the rest is no longer needed
  const double rows = 2 * point + 4 * shape.shifts + 18 + 8 * static_cast<double>(shape.k);
  if (shape.may_skip) bytes = std::max(bytes, rows);
  return bytes;
}

/// Memory of attributes and products, beside the clouds and the rows, where all of these are in memory.
double bytes_beside(const SearchShape& shape) {
  const ProductShape& products = shape.products;
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(shape.queries);
  double bytes = products.fixed + data * shape.data_attributes + queries * 16.0 * products.columns;
  if (!shape.is_self) bytes += queries * shape.query_attributes;
  if (products.reads_queries) bytes += queries * shape.query_attributes;  // a copy, where a cloud is written
  if (products.has_reference) bytes += queries * 8 * static_cast<double>(shape.k);
  return bytes;
}

/// With pieces of the queries alone.
double bytes_with_all_data(const SearchShape& shape, const TileSizes& sizes) {
  const double order = shape.shifts > 0 ? 65 + 4 * shape.shifts : 0;
  const double search = bytes_of_data(shape) + static_cast<double>(sizes.piece_queries) * (query_bytes(shape) + order);
  const double rows = static_cast<double>(sizes.block_rows) * row_bytes(shape);
  const double blocks = std::ceil(static_cast<double>(shape.queries) / static_cast<double>(sizes.block_rows));
  return k_fixed + std::max(search, rows + shape.products.fixed) + blocks * static_cast<double>(sizes.chunk_bytes);
}

TileSizes sizes_of(const SearchShape& shape, double tile_points) {
  TileSizes sizes;
  sizes.tile_points = static_cast<std::int64_t>(tile_points);
  sizes.piece_queries = sizes.tile_points;
  // With the records that become of them, they take less than a tile. 10⁸ points, 16 threads: 2¹⁶ take 1.4 s to look at
  sizes.read_points = std::clamp<std::int64_t>(sizes.tile_points / 8, 1 << 12, 1 << 19);
  const double search = tile_points * (data_bytes(shape) + query_bytes(shape));
  sizes.block_rows = std::max<std::int64_t>(1024, static_cast<std::int64_t>(search / row_bytes(shape)));
  sizes.chunk_bytes = k_max_chunk;
  const double share = search / 4 / sequences(shape, sizes);
  sizes.chunk_bytes = std::clamp(static_cast<std::size_t>(share), k_min_chunk, k_max_chunk);
  return sizes;
}

}  // namespace

SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products, int ranks) {
  const CloudShape queries = query.value_or(data);
  SearchShape shape;
  shape.data = data.points;
  shape.queries = queries.points;
  shape.k = search.k;
  shape.dimensions = dimensions;
  shape.is_float64 = data.is_float64 || queries.is_float64;
  shape.is_mixed = data.is_float64 != queries.is_float64;
  shape.is_self = !query;
  shape.may_skip = search.invalid == InvalidPoints::skip;
  shape.is_periodic = !search.periodic.empty();
  shape.data_attributes = data.attributes;
  shape.query_attributes = queries.attributes;
  shape.products = products;
  shape.ranks = ranks;
  const problem::Problem p = parameters_of(search, dimensions);
  if (p.method == Method::shifted_sort) shape.shifts = p.shifts;
  return shape;
}

problem::Problem parameters_of(const SearchOptions& search, int dimensions) {
  problem::Problem p;
  p.dimensions = dimensions;
  problem::choose_parameters(search, p);
  return p;
}

double bytes_in_memory(const SearchShape& shape) {
  if (shape.is_periodic) {
    // The clouds as given, and images with their rows, of which PeriodicRows::mend() holds so many. Of 1,000 points, in
    // a box in which most of 3·10⁶ queries have images: 226 MB at k = 8
    const double all = 26 * static_cast<double>(shape.queries), k = static_cast<double>(shape.k) + 1;
    const double images = std::min(all, 0x1p24 / k + 0x1p16);
    return bytes_in_memory(without_box(shape)) +
           static_cast<double>(shape.data + (shape.is_self ? 0 : shape.queries)) * coordinate_bytes(shape) +
           images * (8 * k + 64);
  }
  return k_fixed + bytes_of_data(shape) + bytes_beside(shape) +
         static_cast<double>(shape.queries) * (query_bytes_in_memory(shape) + 8 * static_cast<double>(shape.k));
}

bool fits_in_memory(const SearchShape& shape, const Budget& budget) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return bytes_in_memory(shape) <= budget.host && std::max(shape.data, shape.queries) <= most &&
         bytes_on_device(shape, static_cast<double>(shape.data), static_cast<double>(shape.queries)) <= budget.device;
}

std::optional<TileSizes> tile_sizes(const SearchShape& shape, const Budget& budget) {
  if (shape.shifts > 0) return std::nullopt;
  for (double points = largest_tile(shape); points >= smallest_tile(shape); points *= k_next_tile) {
    const TileSizes sizes = sizes_of(shape, points);
    if (bytes_with(shape, sizes) <= budget.host &&
        bytes_on_device(without_box(shape), k_slack * points, points) <= budget.device)
      return sizes;
  }
  return std::nullopt;
}

std::optional<TileSizes> piece_sizes(const SearchShape& shape, const Budget& budget) {
  constexpr std::int64_t most_data = std::numeric_limits<std::int32_t>::max();
  if (shape.ranks > 1 || shape.data > most_data || shape.is_self || shape.is_periodic) return std::nullopt;
  const auto data = static_cast<double>(shape.data);
  const double least = std::clamp(static_cast<double>(shape.queries), 1.0, k_min_tile);
  for (double queries = std::clamp(static_cast<double>(shape.queries), least, k_max_tile); queries >= least;
       queries *= k_next_tile) {
    TileSizes sizes = sizes_of(shape, queries);
    sizes.tile_points = 0;
    sizes.piece_queries = static_cast<std::int64_t>(queries);
    if (bytes_with_all_data(shape, sizes) <= budget.host && bytes_on_device(shape, data, queries) <= budget.device)
      return sizes;
  }
  return std::nullopt;
}

double temporary_bytes(const SearchShape& shape) {
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(shape.queries);
  const double points = data + (shape.is_self ? 0 : queries);
  return points * (8 + coordinate_bytes(without_box(shape))) + queries * (4 + 8 * static_cast<double>(shape.k));
}

double smallest_budget(const SearchShape& shape) {
  double least = shape.ranks == 1 ? bytes_in_memory(shape) : std::numeric_limits<double>::infinity();
  if (shape.shifts > 0) return least;
  for (double points = largest_tile(shape); points >= smallest_tile(shape); points *= k_next_tile)
    least = std::min(least, bytes_with(shape, sizes_of(shape, points)));
  return least;
}

}  // namespace kann::flow
