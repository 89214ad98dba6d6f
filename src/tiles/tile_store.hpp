// Both clouds in a temporary file, by the tiles that their points lie in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "io/files/spool.hpp"
#include "tiles/point_source.hpp"
#include "tiles/survey.hpp"
#include "tiles/tile_options.hpp"

namespace kann::tiles {

/// Points with the numbers of their rows.
template <class T>
struct NumberedPoints {
  int dimensions;
  std::vector<std::int64_t> rows;
  Array<T> coordinates;

  PointsView view() const { return {dimensions, std::span<const T>(coordinates.data(), coordinates.size())}; }
  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  std::span<const T> at(std::int64_t i) const {
    return std::span(coordinates.data(), coordinates.size())
        .subspan(static_cast<std::size_t>(i * dimensions), static_cast<std::size_t>(dimensions));
  }
  Coordinates point(std::int64_t i) const {
    Coordinates out{};
    std::ranges::copy(at(i), out.begin());
    return out;
  }
};

/// T: of the coordinates of both clouds, float or double.
template <class T>
class TileStore {
 public:
  /// Reads the data twice and the queries, if there are some, once. Blocks.
  /// @throws Error bad_input (invalid points, data that change meanwhile), resources.
  TileStore(const PointSource& data, const PointSource* queries, const TileOptions& options);

  const TileMap& map() const { return *map_; }
  std::int64_t data_skipped() const { return data_skipped_; }
  std::int64_t query_skipped() const { return query_skipped_; }
  std::uint64_t file_bytes() const { return tiles_->file_bytes() + (homes_ ? homes_->file_bytes() : 0); }
  double survey_seconds() const { return survey_seconds_; }
  double order_seconds() const { return order_seconds_; }

  /// Bytes of a point with its number, as a record.
  std::size_t point_bytes() const { return sizeof(std::int64_t) + d_ * sizeof(T); }

  /// The data in a tile.
  NumberedPoints<T> data(std::size_t tile) const { return points_of(tiles_->read(tile)); }

  /// Whether queries lie in a tile; in a self-query, these are its data.
  bool has_queries(std::size_t tile) const { return (homes_ ? *homes_ : *tiles_).size(tile) > 0; }

  /// Calls f() with the queries in a tile, `most` at a time, and forgets them.
  void take_queries(std::size_t tile, std::int64_t most, const std::function<void(const NumberedPoints<T>&)>& f) {
    homes_->take(tile, static_cast<std::size_t>(most) * point_bytes(),
                 [&](std::span<const std::byte> bytes) { f(points_of(bytes)); });
  }

 private:
  void divide_data(const PointSource& data);
  void route_data(const PointSource& data);
  void route_queries(const PointSource& queries);
  void refuse_invalid(std::int64_t invalid, std::int64_t first, const PointSource& cloud) const;
  std::span<const std::byte> record(std::int64_t row, std::span<const T> point);
  NumberedPoints<T> points_of(std::span<const std::byte> bytes) const;
  template <class F, class Skip>
  void for_each_placed(const PointSource& cloud, F f, Skip skip) const;

  const TileOptions& options_;
  const std::size_t d_;
  const int threads_;
  std::int64_t valid_ = 0;  // points of the data, by the survey
  std::int64_t data_skipped_ = 0, query_skipped_ = 0;
  double survey_seconds_ = 0, order_seconds_ = 0;
  Curve curve_;
  std::optional<TileMap> map_;
  std::optional<io::Spool> tiles_, homes_;
  std::vector<std::byte> bytes_;  // of the record that is being made
};

}  // namespace kann::tiles
