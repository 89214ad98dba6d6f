// Both clouds in temporary files, by the tiles that their points lie in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flow/ranks/communicator.hpp"
#include "flow/ranks/post.hpp"
#include "flow/routes/curve_sections.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/routes/tile_map.hpp"
#include "flow/sources/point_source.hpp"
#include "formats/files/spool.hpp"
#include "problem/survey.hpp"

namespace kann::flow {

/// The tiles of this rank. @tparam T the type of the coordinates of both clouds, float or double
template <class T>
class TileStore {
 public:
  /// Each rank reads its share of the data twice, and its share of the queries, if these are a cloud, once. It sends
  /// each point to the rank that has the point's section of the curve. Blocks.
  /// @throws Error bad_input (invalid points, data that change meanwhile), resources.
  /// @param queries null: the data are the queries
  TileStore(const PointSource& data, const PointSource* queries, const FileSearchOptions& options, Communicator& ranks);

  /// Bytes of memory of a store on a rank that has `points` of both clouds in `streams` sequences, where all ranks have
  /// `all_tiles`.
  static double bytes(double points, double point_bytes, double streams, double all_tiles, double chunk) {
    return formats::Spool::bytes(streams, chunk, points * point_bytes) + TileMap::bytes(all_tiles);
  }

  /// Bytes of memory while points are brought to their tiles, `most` at a time: the slice of the curve that each is
  /// in, its coordinates, if they have to be converted, and the records.
  static double sending_bytes(double most, double coordinate_bytes, double all_tiles, int ranks, double chunk,
                              int threads) {
    return most * (sizeof(std::uint32_t) + coordinate_bytes) + RecordExchange::bytes(ranks, chunk) +
           Post::sending_bytes(most, numbered_point_bytes(coordinate_bytes), all_tiles, threads);
  }

  /// Bytes of memory while all ranks tell each other of their tiles: own boxes, twice, and all, twice.
  static double numbering_bytes(double all_tiles) { return 4 * all_tiles * sizeof(TileBoxes); }

  /// Bytes of memory while the points of a tile are read: as records and as points, or as points in two orders.
  static double loading_bytes(double points, double point_bytes) { return 2 * points * point_bytes; }

  const TileMap& map() const { return *map_; }  ///< the tiles of all ranks

  /// The number in the map of the first tile of each rank, and then how many there are; of this rank's first tile; and
  /// how many it has.
  const std::vector<std::size_t>& first_of_rank() const { return first_of_rank_; }
  std::size_t first() const { return first_of_rank_[static_cast<std::size_t>(ranks_.rank())]; }
  std::size_t size() const { return streams_.size(); }

  const problem::Survey& of_data() const { return of_data_; }
  const problem::Survey& of_queries() const { return of_queries_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t file_bytes() const { return file_bytes_; }

  /// The data that this rank has.
  std::int64_t points() const;
  double survey_seconds() const { return survey_seconds_; }
  double order_seconds() const { return order_seconds_; }

  /// Bytes of a point with its number, as a record.
  std::size_t point_bytes() const { return sizeof(std::int64_t) + d_ * sizeof(T); }

  /// The points that records hold: of each, its number and its coordinates.
  NumberedPoints<T> points_of(std::span<const std::byte> records) const;

  /// The data points of a tile of this rank, which is given by its number in the map. They are in the order of their
  /// rows, which decides between points at the same distance.
  NumberedPoints<T> data(std::size_t tile) const;

  /// Whether queries lie in a tile; in a self-query, these are its data.
  bool has_queries(std::size_t tile) const {
    return queries_ ? queries_->records(tile) > 0 : data_->size(stream(tile)) > 0;
  }

  /// Calls f() with the queries in a tile, `most` at a time.
  void read_queries(std::size_t tile, std::int64_t most, const std::function<void(const NumberedPoints<T>&)>& f) const {
    queries_->read(tile, most, [&](std::span<const std::byte> bytes) { f(points_of(bytes)); });
  }

  /// The same, and forgets them.
  void take_queries(std::size_t tile, std::int64_t most, const std::function<void(const NumberedPoints<T>&)>& f) {
    queries_->take(tile, most, [&](std::span<const std::byte> bytes) { f(points_of(bytes)); });
  }

 private:
  /// A tile as its points arrive.
  struct Tile {
    TileBoxes boxes;
    std::size_t stream;
  };

  void divide_data(const PointSource& data);
  void route_data(const PointSource& data);
  void open_tile(std::uint32_t section);
  void take_points(std::uint32_t section, std::span<const std::byte> records);
  void number_tiles();
  void route_queries(const PointSource& queries, const std::string& data_name);
  std::size_t stream(std::size_t tile) const { return streams_[tile - first()]; }
  problem::Survey send_points(const PointSource& cloud, Post& post, bool is_data);

  Communicator& ranks_;
  const FileSearchOptions& options_;
  const std::size_t d_;
  const int threads_;
  std::int64_t data_size_ = 0;            // points of the data
  problem::Survey of_data_, of_queries_;  // their boxes, and how many points are finite
  std::uint64_t sent_bytes_ = 0, file_bytes_ = 0;
  double survey_seconds_ = 0, order_seconds_ = 0;
  Curve curve_;
  CurveSections sections_;
  std::vector<std::vector<Tile>> filled_;  // by the sections of this rank, while points arrive; the last is open
  std::vector<std::size_t> streams_;       // of this rank's tiles, by their sections
  std::vector<std::size_t> first_of_rank_;
  std::optional<TileMap> map_;
  base::MemoryCharge map_charge_;
  std::optional<formats::Spool> data_;  // by streams_
  std::optional<Post> queries_;         // by tile
};

}  // namespace kann::flow
