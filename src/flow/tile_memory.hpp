// The shape of a search, and the memory that one in tiles takes: in_tiles.cpp charges these figures, and tile_sizes.cpp
// adds them up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cpu/clusters/cluster_device.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/rows/found.hpp"
#include "flow/rows/result_store.hpp"
#include "search/periodic/images.hpp"
#include "search/rows/candidates.hpp"
#include "search/search_memory.hpp"

namespace kann::flow {

/// What a search finds: k neighbours of each query, all within a radius, or clusters.
enum class Finds { rows, lists, clusters };

/// What the memory of a search depends on.
struct SearchShape {
  std::int64_t data = 0, queries = 0;  ///< points; in a self-query, both are those of the data
  std::int64_t k = 0;
  int dimensions = 3;
  bool is_float64 = false, is_self = false;
  bool is_mixed = false;  ///< one cloud is float64, the other float32
  bool may_skip = false;  ///< points that are not valid
  bool is_periodic = false;
  std::int64_t most_images = detail::k_nearest_images;  ///< in a periodic box, detail::ImageRule::most
  bool is_sky = false;  ///< the points are searched on the unit sphere, in 3-D and float64
  Finds finds = Finds::rows;
  bool is_on_gpu = false;  ///< GPUs make the search, and order its points in their own memory
  int ranks = 1;           ///< that have as much each

  int shifts = 0;  ///< how many the shifted sort searches; 0: an exact search

  double data_attributes = 0, query_attributes = 0;  ///< bytes per point
  double data_buffers = 0, query_buffers = 0;        ///< bytes that readers take at a time, beside points
  double texts = 0;       ///< bytes of the different texts of attributes, which stay for the whole search
  double held_files = 0;  ///< bytes of files that are in memory while the clouds are read as a whole
  int threads = 1;
  ProductShape products{};

  double coordinate_bytes() const { return dimensions * (is_float64 ? 8.0 : 4.0); }

  /// Bytes of a point as it is given, at most.
  double given_bytes() const { return is_sky ? 2 * sizeof(double) : coordinate_bytes(); }

  detail::PointLoad point_load(bool keeps_orders) const {
    return {.dimensions = dimensions,
            .k = k,
            .shifts = shifts,
            .is_float64 = is_float64,
            .is_mixed = is_mixed,
            .is_self = is_self,
            .may_skip = may_skip,
            .keeps_orders = keeps_orders,
            .is_on_gpu = is_on_gpu};
  }

  /// Bytes of memory of the host while a search has its lists.
  double list_bytes() const { return is_on_gpu ? 0 : cpu::list_bytes(std::min(k, data), threads); }

  /// Points of the data of all ranks.
  double all_data() const { return static_cast<double>(data) * ranks; }

  /// Whether some ids do not fit into int32.
  bool has_wide_ids() const { return all_data() > std::numeric_limits<std::int32_t>::max(); }

  /// Bytes of a row that is finished, as a record.
  double row_bytes() const { return ResultStore::record_bytes(static_cast<double>(k), has_wide_ids()); }
};

/// Bytes of a point on the sphere, beside the point as given.
inline double sphere_bytes(bool is_sky) { return is_sky ? 3 * sizeof(double) : 0; }

/// How many queries of a piece are prepared for forwarding, or searched after it, at a time: a quarter, since a query
/// that is forwarded takes seven times the memory of a row that was found.
inline std::int64_t part_of_piece(std::int64_t queries) { return std::max<std::int64_t>(1, (queries + 3) / 4); }

/// Bytes of a forwarded query as a record: the point, its home, and its row so far.
inline double forwarded_bytes(double point_bytes, double k) {
  return point_bytes + sizeof(std::uint32_t) + k * sizeof(detail::Candidate);
}

/// Bytes of the rows that a search returns.
inline double found_bytes(double rows, double k) { return rows * k * (sizeof(std::int32_t) + sizeof(float)); }

/// Bytes of queries that will be forwarded, beside their records: points, rows as found and as records, homes, and
/// marks of those that are finished.
inline double going_bytes(double queries, double point_bytes, double k) {
  return queries * (forwarded_bytes(point_bytes, k) + 1) + found_bytes(queries, k);
}

/// Bytes of queries that were forwarded here and may go on, beside their records: they have a second row, from this
/// tile.
inline double arriving_bytes(double queries, double point_bytes, double k) {
  return going_bytes(queries, point_bytes, k) + queries * k * sizeof(detail::Candidate);
}

/// The load of a search in a tile, by its own points or by other queries. No point of a tile is invalid.
inline detail::PointLoad tile_search(int dimensions, std::int64_t k, bool is_float64, bool is_self) {
  return {.dimensions = dimensions,
          .k = k,
          .is_float64 = is_float64,
          .is_mixed = false,
          .is_self = is_self,
          .may_skip = false,
          .keeps_orders = true};
}

/// How many tiles a rank has; more where a section of the curve is crowded.
double tiles_of(const SearchShape& shape, const FileSearchSizes& sizes);

/// Bytes of memory that the searches in one tile take at most, beside TileStore, ResultStore and queries that wait.
double tile_bytes(const SearchShape& shape, const FileSearchSizes& sizes);

/// About how many places of queries in a periodic box are searched together, and how many at most.
inline std::int64_t places_together(const FileSearchSizes& sizes) {
  return std::max<std::int64_t>(1, part_of_piece(sizes.piece_queries) / 2);
}
inline double most_places(const SearchShape& shape, const FileSearchSizes& sizes) {
  return shape.is_periodic ? 2.0 * static_cast<double>(places_together(sizes)) + static_cast<double>(shape.most_images)
                           : 0;
}

/// Bytes of the images of some queries while they are searched: where those of each query begin, and positions, in
/// vectors that have grown to up to twice their size; points with numbers; and rows as they are found, and with and
/// without the query itself.
inline double image_bytes(double images, double queries, int dimensions, double k) {
  return queries * 3 * sizeof(std::int64_t) +
         images * ((4.0 * dimensions + 2) * sizeof(double) + 2 * (k + 1) * sizeof(detail::Candidate)) +
         found_bytes(images, k + 1);
}

/// The shape of a search as it is made in tiles: in a periodic box, the points are moved, which makes them float64.
/// Else it is the shape itself.
inline SearchShape placed(SearchShape shape) {
  shape.is_float64 |= shape.is_periodic;
  return shape;
}

/// Bytes of memory that in_tiles() takes at most, beside ResultStore.
double in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes);

/// How large the blocks of lists are, which is known when the neighbours are counted.
struct ListBlockSizes {
  std::int64_t neighbors, queries;  ///< in a block, at most

  /// @param neighbors in all lists
  ListBlockSizes(const FileSearchSizes& sizes, std::int64_t neighbors, int ranks);
};

/// How many bytes each of `blocks` blocks, of all ranks, holds back in memory.
std::size_t list_chunk_bytes(const FileSearchSizes& sizes, std::int64_t blocks, int ranks);

/// Bytes of memory per neighbour while a search lists them: as keys in an array that grows, and in the lists.
inline constexpr double k_listing_bytes = 4 * (sizeof(std::int32_t) + sizeof(float));

/// Bytes of memory per query while neighbours are counted in a tile: the point, its record with the count, the search,
/// the count, and where its list begins.
inline double counting_bytes(double point_bytes, double query_bytes) {
  return 2 * point_bytes + query_bytes + sizeof(std::int32_t) + 2 * sizeof(std::int64_t);
}

/// The same while they are listed: also the counts that the records have.
inline double listing_bytes(double point_bytes, double query_bytes) {
  return point_bytes + query_bytes + sizeof(std::int32_t) + 2 * sizeof(std::int64_t);
}

/// Bytes of memory of each place while lists are found: positions, in vectors that have grown to up to twice their
/// size, the search, and where its list begins.
inline double place_bytes(int dimensions, double query_bytes) {
  return 4.0 * dimensions * sizeof(double) + query_bytes + 5 * sizeof(std::int64_t);
}

/// FileSearchSizes::merged: as many as take no more memory than the search in a tile, beside the products.
std::int64_t merged_together(const SearchShape& shape, const FileSearchSizes& sizes, double products);

/// Bytes of memory that lists_in_tiles() takes at most, and the passing on of lists to products, which take `products`
/// bytes at the same time. `shape.k` is not used.
double lists_in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes, double products);

/// Bytes of memory per point of a tile while its points are clustered, and per point around it.
inline double clustering_bytes(double point_bytes, double coordinate_bytes) {
  return point_bytes + cpu::tile_cluster_bytes(coordinate_bytes);
}

/// Bytes of the flags of all core points, also while the ranks put theirs together.
inline double cluster_flag_bytes(double points, int ranks) {
  return problem::PointFlags::bytes(points) * (ranks == 1 ? 1 : 5);
}

/// How many points' sets a rank sends at a time.
inline constexpr std::int64_t k_parents_together = 1 << 16;

/// Bytes of memory that clusters_in_tiles() takes at most, without labels_bytes(). `shape.k` is not used.
double clusters_in_tiles_bytes(const SearchShape& shape, const FileSearchSizes& sizes);

/// Bytes of the labels that it leaves on rank 0, which are the sets of the points before.
inline double labels_bytes(const SearchShape& shape) { return problem::DisjointSets::bytes(shape.all_data()); }

/// Bytes of memory that kann::cluster() takes at most, beside the points as given.
double clusters_in_memory_bytes(const SearchShape& shape);

/// The most rows that are finished at a time.
double finished_together(const SearchShape& shape, const FileSearchSizes& sizes);

}  // namespace kann::flow
