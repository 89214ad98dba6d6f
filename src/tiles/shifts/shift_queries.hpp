// Queries of a shifted sort in tiles with their lists.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tiles/shifts/nearest_seen.hpp"
#include "tiles/shifts/shift_points.hpp"

namespace kann::tiles {

/// Some queries with lists of one size.
template <class T, int D>
class ShiftQueries {
 public:
  explicit ShiftQueries(std::size_t list_size) : list_size_(list_size) {}

  std::size_t size() const { return queries_.size(); }
  ShiftQuery<T, D>& operator[](std::size_t i) { return queries_[i]; }
  const ShiftQuery<T, D>& operator[](std::size_t i) const { return queries_[i]; }
  NearestSeen seen(std::size_t i) {
    return {std::span(sq_dists_).subspan(i * list_size_, list_size_),
            std::span(points_).subspan(i * list_size_, list_size_)};
  }

  /// As many queries, which have seen nothing yet.
  void reset(std::size_t queries) {
    queries_.assign(queries, {});
    sq_dists_.resize(queries * list_size_);
    points_.resize(queries * list_size_);
    NearestSeen{sq_dists_, points_}.clear();
  }

 private:
  std::size_t list_size_;
  std::vector<ShiftQuery<T, D>> queries_;
  std::vector<float> sq_dists_;
  std::vector<SeenPoint> points_;
};

}  // namespace kann::tiles
