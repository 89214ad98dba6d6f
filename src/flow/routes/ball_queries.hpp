// Queries whose balls have a fixed radius, by the tiles that the balls reach.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kann/array.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/post.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/routes/placed_clouds.hpp"
#include "flow/routes/tile_store.hpp"

namespace kann::flow {

struct Ball {
  double radius;
  double sq_bound;       ///< geometry::WithinRadius::sq_bound()
  const Images* images;  ///< of the queries; null: there is no periodic box
};

/// Since the radius is known from the start, a query is sent at once to all tiles in which it is searched: those that
/// its ball reaches, or that of one of its images.
/// @tparam T as for TileStore
template <class T>
class BallQueries {
 public:
  /// All must outlive this object. @param sends_home false: a query is sent to the tile in which it lies only if an
  /// image of it reaches that
  BallQueries(TileStore<T>& store, const Ball& ball, const FileSearchOptions& options, Communicator& ranks,
              bool sends_home = true)
      : store_(store),
        ball_(ball),
        options_(options),
        ranks_(ranks),
        threads_(base::thread_count(options.search.threads)),
        sends_home_(sends_home),
        post_(ranks, store.first_of_rank(), store.point_bytes(), options.files()) {}

  /// Bytes of memory while up to `reached` tiles are found for queries: the query and tile of each, and the records.
  static double sending_bytes(double reached, double point_bytes, double all_tiles, int threads) {
    return reached * sizeof(Reached) + Post::sending_bytes(reached, point_bytes, all_tiles, threads);
  }

  /// Sends all queries that lie in the tiles of this rank. All ranks call it, once; it blocks.
  /// @param are_data the data are the queries; otherwise, the store forgets its queries
  /// @param sees is called with the numbers of all of them
  /// @param disk_bytes that the caller keeps of a query in temporary files for each tile that it reaches, with the
  ///        record: if the disk does not hold them, nothing is sent
  /// @throws Error resources.
  void send(bool are_data, double disk_bytes, const std::function<void(std::span<const std::int64_t>)>& sees);

  /// How many queries were sent to the tiles of this rank, for each tile that they reach.
  std::int64_t sent() const { return sent_; }

  bool has(std::size_t tile) const { return post_.records(tile) > 0; }

  /// Calls f() with the queries to be searched in a tile of this rank, `most` at a time, and forgets them.
  void take(std::size_t tile, std::int64_t most, const Post::Take& f) { post_.take(tile, most, f); }

  /// The same, and keeps them.
  void read(std::size_t tile, std::int64_t most, const Post::Take& f) const { post_.read(tile, most, f); }

  std::uint64_t sent_bytes() const { return post_.sent_bytes(); }
  std::uint64_t file_bytes() const { return post_.file_bytes(); }

 private:
  struct Reached {
    std::uint32_t query, tile;
  };

  using UseQueries = std::function<void(const NumberedPoints<T>& queries, std::size_t home)>;
  using UseReached = std::function<void(const std::vector<Reached>& reached)>;

  void check_disk(bool are_data, double disk_bytes);
  void for_each_query(bool are_data, bool forgets, const UseQueries& f);
  void find_tiles(const NumberedPoints<T>& queries, std::size_t home, const UseReached& f);
  std::vector<Reached> reached_by(const NumberedPoints<T>& queries, std::int64_t begin, std::int64_t end,
                                  std::size_t home) const;

  TileStore<T>& store_;
  const Ball& ball_;
  const FileSearchOptions& options_;
  Communicator& ranks_;
  const int threads_;
  const bool sends_home_;
  Post post_;                  // by tiles
  std::int64_t at_once_ = 16;  // queries whose tiles are found together
  std::int64_t sent_ = 0;
};

}  // namespace kann::flow
