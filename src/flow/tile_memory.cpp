#include "flow/tile_memory.hpp"

#include <cmath>

#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/routes/curve_sections.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/routes/tile_store.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {
namespace {

double tiles_of(const SearchShape& shape, const FileSearchSizes& sizes) {
  return std::max(1.0, std::ceil(static_cast<double>(shape.data) / static_cast<double>(sizes.tile_points)));
}

double points_of_tile(const SearchShape& shape, const FileSearchSizes& sizes) {
  return static_cast<double>(most_tile_points(std::min(sizes.tile_points, shape.data)));
}

/// Queries that are searched at a time.
double queries_of_tile(const SearchShape& shape, const FileSearchSizes& sizes) {
  return shape.is_self ? points_of_tile(shape, sizes)
                       : static_cast<double>(std::min(sizes.piece_queries, shape.queries));
}

}  // namespace

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

  const double others = shape.is_self ? 0 : queries * point + formats::Spool::part_bytes(queries * point, chunk);
  const double home = others + found_bytes(queries, k) +
                      std::max(ordering + queries * home_each.query, part + going_bytes(part, point, k));
  const double forwarded = formats::Spool::part_bytes(part * record, chunk) + arriving_bytes(part, point, k) +
                           ordering + part * other_each.query;
  const double batch = RecordBatch::bytes(part, record, tiles_of(shape, sizes) * shape.ranks, shape.threads);
  const double lists = cpu::list_bytes(std::min(shape.k, static_cast<std::int64_t>(tile)), shape.threads);
  return std::max(TileStore<double>::loading_bytes(tile, point),
                  tile * (point + home_each.kept) + batch + lists + std::max(home, forwarded));
}

double in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes, double moved) {
  const double coordinates = shape.coordinate_bytes(), point = numbered_point_bytes(coordinates);
  const double tiles = tiles_of(shape, sizes), all_tiles = tiles * shape.ranks;
  const double chunk = static_cast<double>(sizes.chunk_bytes), read = static_cast<double>(sizes.read_points);
  const auto queries = static_cast<double>(shape.queries), clouds = shape.is_self ? 1.0 : 2.0;
  using Store = TileStore<double>;  // that of floats takes as much for the same points

  const double blocks = read * (2 * coordinates + moved) + std::max(shape.data_buffers, shape.query_buffers);
  const double sending = Store::sending_bytes(read, coordinates, all_tiles, shape.ranks, chunk, shape.threads);
  const double reading =
      blocks + std::max(CurveSampler::bytes(static_cast<double>(shape.data), shape.dimensions, shape.ranks), sending);
  const double waiting =
      formats::Spool::bytes(tiles, chunk, queries * forwarded_bytes(point, static_cast<double>(shape.k))) +
      RecordExchange::bytes(shape.ranks, chunk);
  const double points = static_cast<double>(shape.data) + (shape.is_self ? 0 : queries);
  return Store::bytes(points, point, clouds * tiles, all_tiles, chunk) +
         std::max({reading, Store::numbering_bytes(all_tiles), waiting + tile_bytes(shape, sizes)});
}

}  // namespace kann::flow
