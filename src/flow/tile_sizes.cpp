#include "flow/tile_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/in_pieces.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/rows/judge.hpp"
#include "flow/rows/result_store.hpp"
#include "flow/sources/named_points.hpp"
#include "flow/tile_memory.hpp"
#include "problem/parameters.hpp"
#include "search/devices/device_memory.hpp"
#include "search/periodic/periodic_rows.hpp"
#include "search/search_memory.hpp"

namespace kann::flow {
namespace {

/// A search has fewer than 2³¹ points, and a tile may be larger than asked for. In a tile that is smaller than the
/// smallest, more time would go into the start of the search than into the rest.
constexpr double k_min_tile = 4096, k_max_tile = 0x1p30;
constexpr std::size_t k_min_chunk = 4096, k_max_chunk = std::size_t{1} << 18;
// A block has no fewer rows, as more blocks take more memory in the store of rows. Where rows are wide (700 columns of
// text take 25 kB), small blocks save more than that.
constexpr std::int64_t k_min_rows = 1024, k_min_wide_rows = 256;
constexpr double k_wide_block = 16e6;  // bytes

/// Sizes of tiles and pieces are tried from the largest on. Each is this fraction of the one before.
constexpr double k_next_tile = 0.9;

std::vector<double> sizes_between(double largest, double least) {
  std::vector<double> sizes;
  for (double size = largest; size >= least; size *= k_next_tile) sizes.push_back(size);
  return sizes;
}

double smallest_tile(const SearchShape& shape) { return std::max(k_min_tile, static_cast<double>(shape.k) + 1); }
double largest_tile(const SearchShape& shape) {
  return std::clamp(static_cast<double>(shape.data), smallest_tile(shape), std::max(smallest_tile(shape), k_max_tile));
}

/// The pieces that are tried; none if the search is not made in pieces.
std::vector<double> tried_pieces(const SearchShape& shape) {
  constexpr std::int64_t most_data = std::numeric_limits<std::int32_t>::max();
  if (shape.ranks > 1 || shape.data > most_data || shape.is_periodic || shape.finds != Finds::rows) return {};
  if (shape.is_self && (!shape.is_on_gpu || shape.is_sky)) return {};
  const auto queries = static_cast<double>(shape.queries), k = static_cast<double>(shape.k);
  const double least = std::clamp(queries, 1.0, k_min_tile), quarter = static_cast<double>(shape.data) / 4;
  // A GPU passes on parts of a piece. On a CPU, rows of 100 MB are enough, unless the queries are then so few beside
  // the data that those that are searched for together have little in common
  const double most = shape.is_on_gpu ? queries : std::max(1e8 / found_bytes(1, k), quarter);
  return sizes_between(std::clamp(std::min(queries, most), least, k_max_tile), least);
}

double program(const SearchShape& shape) { return base::program_bytes(shape.threads, shape.ranks > 1) + shape.texts; }

/// Device memory that a search of so many points takes.
double bytes_on_device(const SearchShape& shape, double data, double queries) {
  const auto k = static_cast<double>(shape.k);
  return detail::device_bytes({data, shape.is_self ? data : queries, k, shape.dimensions, shape.is_float64,
                               shape.is_self, shape.shifts == 0, shape.finds == Finds::clusters});
}

/// Bytes of memory while products look at a block of so many rows.
double bytes_of_block(const SearchShape& shape, std::int64_t rows) {
  const ProductShape& products = shape.products;
  const auto k = static_cast<double>(shape.k), n = static_cast<double>(std::min(rows, shape.queries));
  const double data = shape.given_bytes() + shape.data_attributes + products.data_copies;
  const double query = shape.given_bytes() + shape.query_attributes;
  double bytes = ResultStore::reading_bytes(n, shape.row_bytes()) + products.fixed +
                 static_cast<double>(shape.queries) * products.held +
                 n * (Found::row_bytes(k, products.reads_queries ? query : 0) + products.bytes_per_row(query));
  if (products.reads_queries) bytes += shape.query_buffers;
  if (products.reads_data)
    bytes +=
        NamedPoints::bytes(shape.all_data(), n * (products.has_reference ? 2 * k + 1 : k), data, shape.data_buffers);
  if (products.has_reference) bytes += n * compared_bytes(k + 1);
  return bytes;
}

/// Bytes of memory while lists are passed on to products. A place in a block of lists counts as a row with one
/// neighbour, which takes no less.
double bytes_of_passing(const SearchShape& shape, const FileSearchSizes& sizes) {
  return shape.products.reads_queries ? bytes_of_block(shape, sizes.block_rows) : 0;
}

/// Bytes of attributes and products, beside clouds and rows, where all of these are in memory.
double bytes_beside(const SearchShape& shape) {
  const ProductShape& products = shape.products;
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(shape.queries);
  double bytes = products.fixed + data * shape.data_attributes + queries * (products.bytes_per_row(0) + products.held);
  if (!shape.is_self) bytes += queries * shape.query_attributes;
  if (products.reads_queries) bytes += queries * shape.query_attributes;  // a copy, where a cloud is written
  if (products.has_reference) bytes += queries * compared_bytes_in_memory(static_cast<double>(shape.k + 1));
  return bytes;
}

/// Bytes of memory of the store, if up to `added` rows are added at a time.
double bytes_of_rows(const SearchShape& shape, const FileSearchSizes& sizes, double added) {
  const std::int64_t rows = rows_of_block(shape.queries * shape.ranks, sizes.block_rows, shape.ranks);
  const double blocks = std::ceil(static_cast<double>(shape.queries) / static_cast<double>(rows));
  return Post::bytes(blocks, static_cast<double>(shape.queries), shape.row_bytes(), shape.ranks,
                     static_cast<double>(sizes.chunk_bytes)) +
         Post::sending_bytes(added, shape.row_bytes(), blocks * shape.ranks, shape.threads);
}

double total_in_tiles(const SearchShape& shape, const FileSearchSizes& sizes) {
  if (shape.finds != Finds::rows) {
    if (shape.finds == Finds::clusters)
      return program(shape) + labels_bytes(shape) +
             std::max(clusters_in_tiles_bytes(placed(shape), sizes), bytes_of_block(shape, sizes.block_rows));
    return program(shape) + lists_in_tiles_bytes(placed(shape), sizes, bytes_of_passing(shape, sizes));
  }
  return program(shape) + bytes_of_rows(shape, sizes, finished_together(shape, sizes)) +
         std::max(in_tiles_bytes(placed(shape), sizes), bytes_of_block(shape, sizes.block_rows));
}

/// How many rows of a piece arrive at a time. Where points are skipped, all do, as rows are put in their places when
/// all are there.
std::int64_t part_rows(const SearchShape& shape, std::int64_t queries) {
  constexpr double bytes = 0x1p26;  // copied in 1.5 ms
  if (!shape.is_on_gpu || shape.may_skip) return queries;
  const auto most = static_cast<std::int64_t>(bytes / found_bytes(1, static_cast<double>(shape.k)));
  return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, queries));
}

/// Bytes of memory of a search in pieces, at most.
double total_in_pieces(const SearchShape& shape, const FileSearchSizes& sizes) {
  return program(shape) + bytes_of_rows(shape, sizes, static_cast<double>(sizes.part_rows)) +
         std::max(in_pieces_bytes(shape, sizes), bytes_of_block(shape, sizes.block_rows));
}

/// Sizes with tiles or pieces of so many points.
/// @param search gives the bytes that a search of so many points takes: blocks of rows take no more
FileSearchSizes sizes_of(const SearchShape& shape, double points,
                         double (*search)(const SearchShape&, const FileSearchSizes&)) {
  FileSearchSizes sizes;
  sizes.tile_points = sizes.piece_queries = static_cast<std::int64_t>(points);
  sizes.part_rows = part_rows(shape, sizes.piece_queries);
  // Points as they are read, with the records that are made of them, take less than a tile. 10⁸ points, 16 threads: in
  // blocks of 2¹⁶ they take 1.4 s to look at
  sizes.read_points = std::clamp<std::int64_t>(sizes.tile_points / 8, 1 << 12, 1 << 19);
  const double bytes = search(placed(shape), sizes);
  const auto least =
      static_cast<double>(bytes_of_block(shape, k_min_rows) > k_wide_block ? k_min_wide_rows : k_min_rows);
  double rows = std::max(least, static_cast<double>(shape.queries));
  while (rows > least && bytes_of_block(shape, static_cast<std::int64_t>(rows)) > bytes + shape.products.fixed)
    rows *= k_next_tile;
  sizes.block_rows = static_cast<std::int64_t>(std::max(least, rows));
  // A tile has three sequences at most, one for each cloud and one of queries that wait
  const double sequences = 3 * static_cast<double>(shape.data) / points + shape.ranks + 1 +
                           static_cast<double>(shape.queries) / static_cast<double>(sizes.block_rows);
  sizes.chunk_bytes = std::clamp(static_cast<std::size_t>(bytes / 4 / sequences), k_min_chunk, k_max_chunk);
  // So many as a query may have in a tile
  if (shape.finds == Finds::lists) {
    sizes.listed = most_tile_points(sizes.tile_points);
    sizes.merged = merged_together(placed(shape), sizes, bytes_of_passing(shape, sizes));
  }
  return sizes;
}

FileSearchSizes sizes_of_pieces(const SearchShape& shape, double queries) {
  FileSearchSizes sizes = sizes_of(shape, queries, [](const SearchShape& all, const FileSearchSizes& some) {
    SearchShape without_data = all;
    without_data.data = 0;
    return in_pieces_bytes(without_data, some);
  });
  sizes.tile_points = 0;
  return sizes;
}

}  // namespace

SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products, int ranks, Finds finds) {
  const CloudShape queries = query.value_or(data);
  SearchShape shape;
  shape.data = data.points;
  shape.queries = queries.points;
  shape.k = search.k;
  shape.is_sky = search.sky.has_value();
  shape.dimensions = shape.is_sky ? 3 : dimensions;
  shape.is_float64 = shape.is_sky || data.is_float64 || queries.is_float64;
  shape.is_mixed = !shape.is_sky && data.is_float64 != queries.is_float64;
  shape.is_self = !query;
  shape.may_skip = search.invalid == InvalidPoints::skip || data.leaves_out || queries.leaves_out;
  shape.is_periodic = !search.periodic.empty();
  if (shape.is_periodic) shape.most_images = detail::ImageRule(search).most;
  shape.finds = finds;
  shape.is_on_gpu =
      search.device.kind == DeviceKind::cuda && finds == Finds::rows && !shape.is_periodic && !shape.is_sky;
  shape.data_attributes = data.attributes;
  shape.query_attributes = queries.attributes;
  shape.held_files = data.held + (query ? query->held : 0);
  shape.data_buffers = data.buffers;
  shape.query_buffers = queries.buffers;
  shape.products = products;
  shape.ranks = ranks;
  shape.threads = base::thread_count(search.threads);
  problem::Problem p;
  p.dimensions = dimensions;
  problem::choose_parameters(search, p);
  shape.shifts = p.shifts;
  return shape;
}

double bytes_in_memory(const SearchShape& shape) {
  const double coordinates = shape.given_bytes(), vectors = sphere_bytes(shape.is_sky);
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(shape.queries);
  const double others = shape.is_self ? 0 : queries * coordinates;
  if (shape.finds == Finds::clusters)
    return program(shape) + data * coordinates + std::max(clusters_in_memory_bytes(shape), shape.held_files) +
           bytes_beside(shape);
  if (shape.is_periodic) {  // beside the clouds as they are searched, those as given
    SearchShape plain = placed(shape);
    plain.is_periodic = false;
    return bytes_in_memory(plain) + data * coordinates + others +
           detail::PeriodicRows::bytes(shape.queries, shape.k, shape.most_images);
  }
  const cpu::PointBytes each = detail::point_bytes(shape.point_load(false));
  const double search = data * (each.kept + each.ordering + vectors) + queries * each.query +
                        (shape.is_self ? 0 : queries * vectors) + found_bytes(queries, static_cast<double>(shape.k)) +
                        shape.list_bytes();
  return program(shape) + data * coordinates + others + std::max(search, shape.held_files) + bytes_beside(shape);
}

bool fits_in_memory(const SearchShape& shape, const Budget& budget) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return bytes_in_memory(shape) <= budget.host && std::max(shape.data, shape.queries) <= most &&
         bytes_on_device(shape, static_cast<double>(shape.data), static_cast<double>(shape.queries)) <= budget.device;
}

std::optional<FileSearchSizes> tile_sizes(const SearchShape& shape, const Budget& budget) {
  for (const double points : sizes_between(largest_tile(shape), smallest_tile(shape))) {
    const FileSearchSizes sizes = sizes_of(shape, points, tile_bytes);
    const auto most = static_cast<double>(most_tile_points(sizes.tile_points));
    if (total_in_tiles(shape, sizes) <= budget.host && bytes_on_device(placed(shape), most, points) <= budget.device)
      return sizes;
  }
  return std::nullopt;
}

std::optional<FileSearchSizes> piece_sizes(const SearchShape& shape, const Budget& budget) {
  SearchShape of_piece = shape;
  for (const double queries : tried_pieces(shape)) {
    const FileSearchSizes sizes = sizes_of_pieces(shape, queries);
    of_piece.is_self = shape.is_self && sizes.piece_queries == shape.queries;  // else the queries have their own order
    if (total_in_pieces(shape, sizes) <= budget.host &&
        bytes_on_device(of_piece, static_cast<double>(shape.data), queries) <= budget.device)
      return sizes;
  }
  return std::nullopt;
}

double bytes_from_files(const SearchShape& shape, const FileSearchSizes& sizes) {
  return sizes.tile_points > 0 ? total_in_tiles(shape, sizes) : total_in_pieces(shape, sizes);
}

double temporary_bytes(const SearchShape& shape) {
  const auto data = static_cast<double>(shape.data), queries = static_cast<double>(shape.queries);
  const double points = data + (shape.is_self ? 0 : queries);
  return points * numbered_point_bytes(placed(shape).coordinate_bytes()) + queries * shape.row_bytes();
}

double smallest_budget(const SearchShape& shape) {
  double least = shape.ranks == 1 ? bytes_in_memory(shape) : std::numeric_limits<double>::infinity();
  for (const double queries : tried_pieces(shape))
    least = std::min(least, total_in_pieces(shape, sizes_of_pieces(shape, queries)));
  for (const double points : sizes_between(largest_tile(shape), smallest_tile(shape)))
    least = std::min(least, total_in_tiles(shape, sizes_of(shape, points, tile_bytes)));
  return least;
}

}  // namespace kann::flow
