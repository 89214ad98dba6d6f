// The exact rows of a sample, at any size of the data: these pass once, in blocks, and what falls into the ball of a
// row is kept. The nearest of some points that are known before, such as those that the rows name, say how large it
// must be.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "products/accuracy/distinct_points.hpp"
#include "products/accuracy/judged_clouds.hpp"

namespace kann::accuracy {

class NearestInBalls {
 public:
  /// @param clouds the rows of valid queries, without groups, and some points of the data; must outlive this object.
  ///        With the points that the rows name, balls of right rows hold no others than their neighbours. Blocks.
  /// @throws Error resources, std::bad_alloc.
  NearestInBalls(const JudgedClouds& clouds, int threads);

  /// Looks at a block of the data that begins at row `first`. Every block is to be added once. Blocks. @throws
  /// std::bad_alloc.
  void add(std::int64_t first, const PointsView& block);

  /// Fills `nearest` with the k smallest (d², id) of a query, ascending, or with all if there are fewer. Thread-safe.
  void find(std::int64_t query, std::vector<Nearest>& nearest) const;

  /// Bytes of memory per query, beside the clouds. A ball overlaps up to 8 cells, 5 on average; each is entered with 4
  /// bytes. Per ball, there are 16 to 32 buckets of 4 bytes.
  static double bytes_per_query(double k) { return sizeof(Nearest) * (k + 1) + 24 + 8 + 4 + 3 * 8 + 8 * 4 + 32 * 4; }

 private:
  using Cell = std::array<std::uint32_t, 3>;

  void set_bounds();
  double filling_radius() const;
  void enter_balls();
  template <class F>
  void for_each_cell(std::size_t centre, F&& f) const;
  Cell cell_of(const std::array<double, 3>& point) const {
    Cell cell{};
    for (int a = 0; a < clouds_.data().dimensions(); ++a)
      cell[a] = static_cast<std::uint32_t>((point[a] - extent_.lo[a]) * cells_per_length_);
    return cell;
  }
  std::size_t bucket_of(const Cell& cell, int level) const {
    std::uint64_t mixed = cell[0] * 0x9e3779b97f4a7c15u ^ cell[1] * 0xc2b2ae3d27d4eb4fu ^ cell[2] * 0x165667b19e3779f9u;
    mixed = (mixed ^ mixed >> 32 ^ static_cast<std::uint64_t>(level)) * 0xd6e8feb86659fd93u;
    return (mixed ^ mixed >> 32) & (begins_.size() - 2);
  }
  bool is_own(std::size_t centre, std::int64_t id) const;
  void add_found(std::size_t centre, const Nearest& found);

  const JudgedClouds& clouds_;
  const int threads_;
  const std::int64_t held_;              // neighbours of a centre: k, and the query itself where it is none
  const DistinctPoints centres_;         // equal queries share a ball: of a scan, half may be (0, 0, 0)
  std::vector<std::int32_t> centre_of_;  // per query
  std::vector<double> bounds_;           // of the d² that count, per centre; negative: none does
  std::vector<std::int64_t> last_ids_;   // from this id on, points at that d² do not count
  Array<Nearest> found_;                 // held_ per centre, of which counts_ says how many are set
  std::vector<std::int64_t> counts_;
  std::array<std::mutex, 64> guards_;  // one for all centres whose numbers have the same remainder

  // Balls are entered into the cells that they overlap. The level of a ball is the octave of its radius: its cells have
  // sides of 2^level units, from two to four radii. Cells share buckets, which costs tests and is no error.
  const Extent extent_;  // of the data, scaled
  double cells_per_length_ = 1;
  std::vector<int> levels_;            // that occur
  std::vector<std::uint32_t> begins_;  // where the balls of each bucket begin; their number is a power of two, and one
  std::vector<std::int32_t> entered_;
};

}  // namespace kann::accuracy
