// Collects the points that are needed to judge some rows of a search, from data that do not fit in memory: the points
// that the rows name, and the points that nanoflann finds nearest to the queries, block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/periodic.hpp"

namespace kann::accuracy {

/// A data point and its row in the data.
struct NumberedPoint {
  std::int64_t row;
  std::array<double, 3> point;  ///< as given; the third coordinate is 0 in 2-D
};

/// A neighbour. Of two, the one with the smaller (d², row) is nearer.
struct FoundPoint {
  double sq_dist;  ///< scaled
  NumberedPoint point;

  bool operator<(const FoundPoint& other) const {
    return sq_dist < other.sq_dist || (sq_dist == other.sq_dist && point.row < other.point.row);
  }
};

class NeededPoints {
 public:
  /// Bytes of memory for each point of a block that is being added, and is moved into a box or to the sphere.
  static std::size_t bytes_per_point(bool are_moved) { return are_moved ? 104 : 80; }

  /// @param queries valid queries
  /// @param own if the queries are data points and not neighbours of themselves, their rows in the data; else empty.
  ///        `queries` and `own` must outlive this object.
  /// @param named rows of further points that are needed
  /// @param facts about the whole clouds
  /// @param sides of the periodic box in which the points are nearest, if any
  /// @param is_sky whether the points are angles, as SearchOptions::sky says
  NeededPoints(const Points& queries, std::span<const std::int64_t> own, std::vector<std::int64_t> named,
               std::int64_t k, const CloudFacts& facts, const Sides& sides, bool is_sky, int threads);

  /// Looks at a block of the data that begins at row `first`. Every block is to be added once. Blocks. @throws
  /// std::bad_alloc.
  void add(std::int64_t first, const PointsView& block);

  /// The k nearest points to query `i` among all that were added, nearest first.
  std::span<const FoundPoint> nearest_to(std::int64_t i) const {
    return {found_.data() + i * k_, static_cast<std::size_t>(counts_[static_cast<std::size_t>(i)])};
  }

  /// The points in the blocks that are named, or are queries.
  const std::vector<NumberedPoint>& named_points() const { return named_points_; }

 private:
  void search(std::int64_t first, const PointsView& points);
  void add_nearest(std::int64_t i, const FoundPoint& found);

  Sides sides_;
  bool is_sky_;
  Extent data_extent_;    // as given
  PlacedPoints queries_;  // where they are judged
  std::int64_t query_count_;
  std::span<const std::int64_t> own_;
  std::vector<std::int64_t> named_;  // ascending
  std::int64_t k_;
  double scale_;
  int threads_;
  Array<FoundPoint> found_;  // k_ per query, of which counts_ says how many are set
  std::vector<std::int64_t> counts_;
  std::array<std::mutex, 64> guards_;  // one for all queries whose numbers have the same remainder
  std::vector<NumberedPoint> named_points_;
};

}  // namespace kann::accuracy
