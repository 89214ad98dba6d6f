#include "flow/tile_memory.hpp"

#include <cmath>

#include "flow/ranks/post.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/curve_sections.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/rows/list_counts.hpp"
#include "formats/files/spool.hpp"
#include "search/rows/list_order.hpp"

namespace kann::flow {
namespace {

double points_of_tile(const SearchShape& shape, const FileSearchSizes& sizes) {
  return static_cast<double>(most_tile_points(std::min(sizes.tile_points, shape.data)));
}

/// Queries that are searched at a time.
double queries_of_tile(const SearchShape& shape, const FileSearchSizes& sizes) {
  return shape.is_self ? points_of_tile(shape, sizes)
                       : static_cast<double>(std::min(sizes.piece_queries, shape.queries));
}

/// Bytes of memory of blocks of a cloud, two as they are read, and one as it is placed.
double block_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const double blocks = shape.is_periodic || shape.is_sky ? 3 : 2;
  return blocks * static_cast<double>(sizes.read_points) * shape.coordinate_bytes() +
         std::max(shape.data_buffers, shape.query_buffers);
}

}  // namespace

double tiles_of(const SearchShape& shape, const FileSearchSizes& sizes) {
  return std::max(1.0, std::ceil(static_cast<double>(shape.data) / static_cast<double>(sizes.tile_points)));
}

double finished_together(const SearchShape& shape, const FileSearchSizes& sizes) {
  return static_cast<double>(part_of_piece(static_cast<std::int64_t>(queries_of_tile(shape, sizes))));
}

double tile_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const auto each_of = [&](bool is_self) {
    return detail::point_bytes(tile_search(shape.dimensions, shape.k, shape.is_float64, is_self));
  };
  const cpu::PointBytes home_each = each_of(shape.is_self), other_each = each_of(false);
  const double k = static_cast<double>(shape.k), chunk = static_cast<double>(sizes.chunk_bytes);
  const double point = numbered_point_bytes(shape.coordinate_bytes()), record = forwarded_bytes(point, k);
  const double tile = points_of_tile(shape, sizes), ordering = tile * home_each.ordering;
  const double queries = queries_of_tile(shape, sizes), part = finished_together(shape, sizes);

  const double images = most_places(shape, sizes);
  const double of_images =
      shape.is_periodic ? image_bytes(images, part, shape.dimensions, k) + images * other_each.query : 0;
  const double others = shape.is_self ? 0 : queries * point + formats::Spool::part_bytes(queries * point, chunk);
  const double home = others + found_bytes(queries, k) +
                      std::max(ordering + queries * home_each.query, part + going_bytes(part, point, k) + of_images);
  const double forwarded = formats::Spool::part_bytes(part * record, chunk) + arriving_bytes(part, point, k) +
                           std::max(ordering + part * other_each.query, of_images);
  const double batch = Post::sending_bytes(part, record, tiles_of(shape, sizes) * shape.ranks, shape.threads);
  const double lists = cpu::list_bytes(std::min(shape.k + 1, static_cast<std::int64_t>(tile)), shape.threads);
  return std::max(TileStore<double>::loading_bytes(tile, point),
                  tile * (point + home_each.kept) + batch + lists + std::max(home, forwarded));
}

double in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const double coordinates = shape.coordinate_bytes(), point = numbered_point_bytes(coordinates);
  const double tiles = tiles_of(shape, sizes), all_tiles = tiles * shape.ranks;
  const double chunk = static_cast<double>(sizes.chunk_bytes), read = static_cast<double>(sizes.read_points);
  const auto queries = static_cast<double>(shape.queries), clouds = shape.is_self ? 1.0 : 2.0;
  using Store = TileStore<double>;  // that of floats takes as much for the same points

  const double sending = Store::sending_bytes(read, coordinates, all_tiles, shape.ranks, chunk, shape.threads);
  const double reading =
      block_bytes(shape, sizes) +
      std::max(CurveSampler::bytes(static_cast<double>(shape.data), shape.dimensions, shape.ranks), sending);
  const double waiting =
      Post::bytes(tiles, queries, forwarded_bytes(point, static_cast<double>(shape.k)), shape.ranks, chunk);
  const double points = static_cast<double>(shape.data) + (shape.is_self ? 0 : queries);
  return Store::bytes(points, point, clouds * tiles, all_tiles, chunk) +
         std::max({reading, Store::numbering_bytes(all_tiles), waiting + tile_bytes(shape, sizes)});
}

namespace {

/// Bytes of memory while clouds of a search within a radius are brought to their tiles.
double dividing_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const double coordinates = shape.coordinate_bytes(), read = static_cast<double>(sizes.read_points);
  const double sampling = CurveSampler::bytes(static_cast<double>(shape.data), shape.dimensions, shape.ranks);
  return block_bytes(shape, sizes) +
         std::max(sampling,
                  TileStore<double>::sending_bytes(read, coordinates, tiles_of(shape, sizes) * shape.ranks, shape.ranks,
                                                   static_cast<double>(sizes.chunk_bytes), shape.threads));
}

constexpr double k_least_chunk = 4096;

/// Bytes of memory for what a store of lists holds back, and for where its chunks are: some for each neighbour that is
/// found at a time.
double list_store_bytes(const FileSearchSizes& sizes) { return std::max(1e6, 8 * static_cast<double>(sizes.listed)); }

/// Bytes of memory while the neighbours in a tile are counted, and then listed.
double listing_in_tile_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const double point = numbered_point_bytes(shape.coordinate_bytes()), chunk = static_cast<double>(sizes.chunk_bytes);
  const double tile = points_of_tile(shape, sizes), listed = static_cast<double>(sizes.listed);
  const auto part = static_cast<double>(part_of_piece(sizes.piece_queries));
  const cpu::PointBytes each = detail::point_bytes(tile_search(shape.dimensions, 1, shape.is_float64, false));
  const double of_places = most_places(shape, sizes) * place_bytes(shape.dimensions, each.query);
  const double of_queries = (shape.is_periodic ? 3 : 1) * found_bytes(listed, 1);
  const double found = std::max(tile * each.ordering + listed * k_listing_bytes, of_queries);
  const double counting = formats::Spool::part_bytes(part * point, chunk) + part * counting_bytes(point, each.query) +
                          of_places + (shape.is_periodic ? found : tile * each.ordering);
  const double adding = ResultStore::adding_bytes(listed, part) +
                        Post::sending_bytes(listed, ResultStore::record_bytes(1, shape.has_wide_ids()),
                                            4 * tiles_of(shape, sizes) * shape.ranks, shape.threads);
  const double listing = formats::Spool::part_bytes(part * (point + sizeof(std::int64_t)), chunk) +
                         part * listing_bytes(point, each.query) + of_places +
                         std::max(found, found_bytes(listed, 1) + adding);
  return tile * (point + each.kept) + std::max(counting, listing);
}

/// Bytes of memory while so many neighbours of lists are put together.
double merging_bytes(const SearchShape& shape, double neighbors) {
  const auto all = static_cast<std::int64_t>(neighbors);
  return ResultStore::list_bytes(neighbors, neighbors / 4, shape.has_wide_ids(), shape.ranks) +
         detail::ordering_bytes(all, all);
}

}  // namespace

std::int64_t merged_together(const SearchShape& shape, const FileSearchSizes& sizes, double products) {
  constexpr double many = 1e6;
  const double fit = (listing_in_tile_bytes(shape, sizes) - products) / (merging_bytes(shape, many) / many);
  return std::max(sizes.listed, static_cast<std::int64_t>(fit));
}

ListBlockSizes::ListBlockSizes(const FileSearchSizes& sizes, std::int64_t all, int ranks)
    : neighbors(sizes.listed), queries(std::max<std::int64_t>(1, sizes.listed / 4)) {
  constexpr std::int64_t blocks_a_rank = 16;  // so that their shares are about equal
  if (ranks > 1) neighbors = std::clamp<std::int64_t>(all / (blocks_a_rank * ranks), 1, sizes.listed);
  // Each holds a chunk back in memory. Large blocks are put together more slowly
  const double most_blocks = ranks * list_store_bytes(sizes) / 2 / formats::Spool::bytes(1, k_least_chunk, 0);
  neighbors = std::max(neighbors, static_cast<std::int64_t>(static_cast<double>(all) / most_blocks));
}

std::size_t list_chunk_bytes(const FileSearchSizes& sizes, std::int64_t blocks, int ranks) {
  const double sequences = std::ceil(static_cast<double>(blocks) / ranks) + (ranks == 1 ? 1 : 3.0 * ranks + 2);
  return static_cast<std::size_t>(std::clamp(list_store_bytes(sizes) / 2 / sequences, k_least_chunk, 1048576.0));
}

double lists_in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes, double products) {
  const double coordinates = shape.coordinate_bytes(), point = numbered_point_bytes(coordinates);
  const double tiles = tiles_of(shape, sizes), all_tiles = tiles * shape.ranks;
  const double chunk = static_cast<double>(sizes.chunk_bytes), read = static_cast<double>(sizes.read_points);
  const auto queries = static_cast<double>(shape.queries), clouds = shape.is_self ? 1.0 : 2.0;
  using Store = TileStore<double>;

  const double home = shape.is_self ? Store::loading_bytes(points_of_tile(shape, sizes), point)
                                    : 3 * static_cast<double>(sizes.piece_queries) * point + chunk;
  const double sending = home + BallQueries<double>::sending_bytes(read, point, all_tiles, shape.threads) +
                         RecordExchange::bytes(shape.ranks, chunk);
  constexpr double reached_tiles = 2;                   // of a query: many reach only their own
  const double counted = point + sizeof(std::int64_t);  // bytes of a query with its count, as a record
  const double points = static_cast<double>(shape.data) + (shape.is_self ? 0 : queries);
  return ListCounts::bytes(shape.queries * shape.ranks, shape.ranks) +
         Store::bytes(points, point, clouds * tiles, all_tiles, chunk) +
         formats::Spool::bytes(2 * tiles, chunk, reached_tiles * queries * (point + counted)) +
         std::max(
             {dividing_bytes(shape, sizes), Store::numbering_bytes(all_tiles), sending,
              list_store_bytes(sizes) + std::max(listing_in_tile_bytes(shape, sizes),
                                                 merging_bytes(shape, static_cast<double>(sizes.merged)) + products)});
}

double clusters_in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const double point = numbered_point_bytes(shape.coordinate_bytes()), tile = points_of_tile(shape, sizes);
  const double tiles = tiles_of(shape, sizes), all_tiles = tiles * shape.ranks;
  const double chunk = static_cast<double>(sizes.chunk_bytes), read = static_cast<double>(sizes.read_points);
  const auto points = static_cast<double>(shape.data), part = static_cast<double>(part_of_piece(sizes.piece_queries));
  const double each = clustering_bytes(point, shape.is_float64 ? sizeof(double) : sizeof(float));
  using Store = TileStore<double>;

  const double sending = Store::loading_bytes(tile, point) +
                         BallQueries<double>::sending_bytes(read, point, all_tiles, shape.threads) +
                         RecordExchange::bytes(shape.ranks, chunk);
  const double around = formats::Spool::part_bytes(part * point, chunk) + part * (point + each) +
                        most_places(shape, sizes) * (3 * point + each);
  const double searching = std::max(Store::loading_bytes(tile, point), tile * each + around);
  const double labelling = 8 * shape.all_data();  // the sizes of clusters
  const double sent = 2.0 * shape.ranks * k_parents_together * sizeof(std::int64_t);
  constexpr double reached_tiles = 2;  // of a point: many reach only their own
  return cluster_flag_bytes(shape.all_data(), shape.ranks) + Store::bytes(points, point, tiles, all_tiles, chunk) +
         formats::Spool::bytes(tiles, chunk, reached_tiles * points * point) +
         std::max({dividing_bytes(shape, sizes), Store::numbering_bytes(all_tiles), sending, searching, labelling,
                   shape.ranks == 1 ? 0 : sent});
}

double clusters_in_memory_bytes(const SearchShape& shape) {
  const auto points = static_cast<double>(shape.data);
  const bool is_float64 = shape.is_float64 || shape.is_periodic;
  const double each = cpu::tile_cluster_bytes(is_float64 ? sizeof(double) : sizeof(float));
  const double moved = shape.is_periodic ? shape.dimensions * sizeof(double) : sphere_bytes(shape.is_sky);
  const double labelling = sizeof(std::int64_t) + sizeof(std::int32_t);  // the sizes of clusters, and labels
  // Images are made some at a time, and few points have any
  const double images =
      shape.is_periodic ? std::min(points, 0x1p20) * (each + 4 * shape.dimensions * sizeof(double)) : 0;
  return points *
             (moved + problem::DisjointSets::bytes(1) + problem::PointFlags::bytes(1) + std::max(each, labelling)) +
         images;
}

}  // namespace kann::flow
