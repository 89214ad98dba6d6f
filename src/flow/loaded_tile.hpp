// The data points of the tile that is searched, with their index.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "kann/index.hpp"

#include "base/memory_budget.hpp"
#include "base/seconds_since.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/routes/numbered_points.hpp"
#include "flow/routes/tile_store.hpp"
#include "flow/tile_memory.hpp"

namespace kann::flow {

template <class T>
class LoadedTile {
 public:
  /// @param store, options must outlive this object @param name of the data, in messages
  LoadedTile(const TileStore<T>& store, const FileSearchOptions& options, int dimensions, const std::string& name)
      : store_(store),
        options_(options),
        name_(name),
        each_(detail::point_bytes(tile_search(dimensions, options.search.k, sizeof(T) == sizeof(double), false))) {}

  /// Reads a tile of this rank, given by its number in the map, unless it is the one that was read last. Blocks.
  void load(std::size_t tile) {
    if (index_ && tile_ == tile) return;
    unload();
    const auto start = std::chrono::steady_clock::now();
    points_ = store_.data(tile);
    seconds_ += base::seconds_since(start);
    const double point = static_cast<double>(store_.point_bytes());
    charge_ = base::MemoryCharge(options_.memory, static_cast<double>(points_.size()) * (point + each_.kept));
    has_order_ = false;
    index_.emplace(points_.view(), IndexOptions{options_.search.invalid, options_.search.threads, name_});
    tile_ = tile;
  }

  /// Gives the memory of the tile back.
  void unload() {
    index_.reset();
    points_ = {};
    charge_ = {};
  }

  const NumberedPoints<T>& points() const { return points_; }
  const Index& index() const { return *index_; }

  /// How long it took to read tiles.
  double seconds() const { return seconds_; }

  /// Bytes of memory that a search takes for each query.
  double query_bytes() const { return each_.query; }

  /// Bytes of memory that the next search takes to order the points, which only the first does.
  double ordering_bytes() {
    return std::exchange(has_order_, true) ? 0 : static_cast<double>(points_.size()) * each_.ordering;
  }

 private:
  const TileStore<T>& store_;
  const FileSearchOptions& options_;
  const std::string name_;
  const cpu::PointBytes each_;
  base::MemoryCharge charge_;
  NumberedPoints<T> points_{};
  std::optional<Index> index_;  // over points_
  std::size_t tile_ = 0;
  bool has_order_ = false;
  double seconds_ = 0;
};

}  // namespace kann::flow
