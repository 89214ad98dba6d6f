// What judging some rows of a search needs of data that do not fit in memory: the points that the rows name, and those
// that nanoflann finds nearest to the queries, block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "accuracy/cloud_facts.hpp"

namespace kann::accuracy {

/// A point of the data, by its row there.
struct NumberedPoint {
  std::int64_t row;
  std::array<double, 3> point;  ///< as given; the third coordinate is 0 in 2-D
};

/// A neighbour; the smaller in the order of (d², row) is the nearer.
struct FoundPoint {
  double sq_dist;  ///< scaled
  NumberedPoint point;

  bool operator<(const FoundPoint& other) const {
    return sq_dist < other.sq_dist || (sq_dist == other.sq_dist && point.row < other.point.row);
  }
};

class NeededPoints {
 public:
  /// Bytes of memory for each point of a block that is being added.
  static constexpr std::size_t k_bytes_per_point = 80;

  /// @param queries valid ones
  /// @param own the rows in the data of the points that the queries are, and that are none of their neighbours; or
  ///        empty. Both outlive this object.
  /// @param named rows of points that are needed, too
  /// @param facts of the whole clouds
  NeededPoints(const Points& queries, std::span<const std::int64_t> own, std::vector<std::int64_t> named,
               std::int64_t k, const CloudFacts& facts, int threads);

  /// Looks at the points from row `first` on, each once. Blocks. @throws std::bad_alloc.
  void add(std::int64_t first, const PointsView& block);

  /// The k nearest of query `i` in all that was added, ascending.
  std::span<const FoundPoint> nearest_to(std::int64_t i) const {
    return {found_.data() + i * k_, static_cast<std::size_t>(counts_[static_cast<std::size_t>(i)])};
  }

  /// Adds a point that is near query `i`, of a block that was not added. Thread-safe.
  void add_nearest(std::int64_t i, const FoundPoint& found);

  /// The points that are named, or queries are, and were in the blocks.
  const std::vector<NumberedPoint>& named_points() const { return named_points_; }

 private:
  void search(std::int64_t first, const PointsView& points);

  const Points& queries_;
  std::span<const std::int64_t> own_;
  std::vector<std::int64_t> named_;  // ascending
  std::int64_t k_;
  double scale_;
  int threads_;
  Array<FoundPoint> found_;  // k_ of each query, as many of which are set as counts_ says
  std::vector<std::int64_t> counts_;
  std::array<std::mutex, 64> guards_;  // of the queries whose numbers have the same remainder
  std::vector<NumberedPoint> named_points_;
};

}  // namespace kann::accuracy
