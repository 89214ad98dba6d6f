// The points that may be within a radius of the queries of a warp: those of some rows of cells, numbered one row after
// another, so that the lanes can read them 32 at a time.
#pragma once

#include <cstdint>

#include "cuda/exact/cell_order.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"

namespace kann::cuda::exact {

/// The block of cells that balls around the places of all lanes meet. All 32 lanes of a warp make it.
///
/// A point within the radius of a place is at most `across` cells away along y and z. The factors cover the rounding of
/// float32, and the slack that of both places.
struct CellBlock {
  int first[3], last[3];
  bool is_near = true;  ///< whether the lane's place is at most two widths of the box of the data from its corner

  __device__ __forceinline__ CellBlock(const CellGrid& grid, float x, float y, float z, float radius) {
    const float place[3] = {grid.place(x, 0), grid.place(y, 1), grid.place(z, 2)};
    const float across = radius * grid.inv[1] * (1 + 0x1p-18f) + 2 * fmaxf(grid.slack[1], grid.slack[2]);
    const float reach[3] = {across * grid.x_per_y + grid.slack[0], across, across};
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      is_near &= fabsf(place[a]) < 2 * grid.cells[a];
      const float most = static_cast<float>(grid.cells[a] - 1);
      first[a] = warp::reduce_min(static_cast<int>(fminf(fmaxf(place[a] - reach[a], 0.0f), most)));
      last[a] = warp::reduce_max(static_cast<int>(fminf(fmaxf(place[a] + reach[a], 0.0f), most)));
    }
  }
  __device__ __forceinline__ int cells(int axis) const { return last[axis] - first[axis] + 1; }
};

/// 32 of the rows of the cells that the balls around the lanes' queries meet, one row per lane. All 32 lanes of a warp
/// call every function.
class CellRows {
 public:
  /// For each row with points, the number of its first point, and what to add to a number to get a place.
  struct Memory {
    std::uint32_t first[warp::k_lanes], to_place[warp::k_lanes];
  };

  /// @param radius of all balls @param first the number of the first of the 32 rows among all
  __device__ __forceinline__ CellRows(const Cells& cells, const thread::Query& query, float radius, Memory& s_memory,
                                      int first = 0)
      : s_(s_memory) {
    std::uint32_t begin = 0;
    are_near_ = __all_sync(warp::k_all_lanes, find_row(cells, query, radius, first + warp::lane_id(), begin));
    const std::uint32_t end = warp::sum_up_to(length_);
    number_ = end - length_;
    count_ = __shfl_sync(warp::k_all_lanes, end, warp::k_lanes - 1);
    const unsigned filled = __ballot_sync(warp::k_all_lanes, length_ > 0);
    __syncwarp();  // what was here has been read
    rows_ = __popc(filled);
    if (length_ > 0) {
      const int row = __popc(filled & ((1u << warp::lane_id()) - 1));
      s_.first[row] = number_;
      s_.to_place[row] = begin - number_;
    }
    __syncwarp();  // the rows are written
  }

  /// Whether all rows hold all points within the radius of any query. They do not if a query is far from the data's
  /// box.
  __device__ __forceinline__ bool are_near() const { return are_near_; }
  /// Whether the points are all those within the radius of any query.
  __device__ __forceinline__ bool are_all() const { return are_near_ && all_ <= warp::k_lanes; }
  /// The number of all rows.
  __device__ __forceinline__ int all() const { return all_; }
  /// The number of points in the 32 rows.
  __device__ __forceinline__ std::uint32_t count() const { return count_; }

  /// No point.
  static constexpr std::uint32_t k_none = 0xffffffffu;

  /// The places of the next 32 points. In batch i, which is the i-th call, lane l has that of point 32·i + 31 − l, or
  /// k_none.
  __device__ __forceinline__ std::uint32_t next_place() {
    const std::uint32_t place_in_batch = number_ - first_;
    const bool begins_here = length_ > 0 && place_in_batch < warp::k_lanes;
    const unsigned begins = warp::reduce_or(begins_here ? 1u << place_in_batch : 0u);
    const std::uint32_t number = first_ + warp::k_lanes - 1 - warp::lane_id();
    const int row = rows_before_ + __popc(begins << warp::lane_id()) - 1;
    rows_before_ += __popc(begins);
    first_ += warp::k_lanes;
    return number < count_ ? number + s_.to_place[row] : k_none;
  }

  /// The place of a point by its number, which is less than count(). May be called by some of the lanes.
  __device__ __forceinline__ std::uint32_t place_of(std::uint32_t number) const {
    int row = 0;
#pragma unroll
    for (int step = warp::k_lanes / 2; step > 0; step /= 2)
      if (row + step < rows_ && s_.first[row + step] <= number) row += step;
    return number + s_.to_place[row];
  }

 private:
  /// Finds row `row` of the block of cells, if there is one. Returns false if the lane's query is far outside.
  __device__ __forceinline__ bool find_row(const Cells& cells, const thread::Query& query, float radius, int row,
                                           std::uint32_t& begin) {
    const CellGrid& grid = cells.grid;
    const CellBlock block(grid, query.x, query.y, query.z, radius);
    const int rows_y = block.cells(1);
    all_ = rows_y * block.cells(2);  // at most the number of cells, which is less than 2³⁰
    if (row < all_) {
      const int z = static_cast<int>(__fdividef(static_cast<float>(row) + 0.5f, static_cast<float>(rows_y))),
                y = row - z * rows_y;
      const std::uint32_t in_grid = static_cast<std::uint32_t>(block.first[2] + z) * grid.cells[1] + block.first[1] + y;
      const std::uint32_t* const d_begins = cells.d_begins + in_grid * grid.cells[0];
      begin = d_begins[block.first[0]];
      length_ = d_begins[block.last[0] + 1] - begin;
    }
    return block.is_near;
  }

  Memory& s_;
  bool are_near_;
  int all_;                                // rows
  int rows_;                               // rows with points
  std::uint32_t length_ = 0, number_ = 0;  // of the lane's row: how many points, and the number of the first
  std::uint32_t count_ = 0;
  std::uint32_t first_ = 0;  // the number of the first point of the next batch
  int rows_before_ = 0;      // rows with points that begin before that batch
};

}  // namespace kann::cuda::exact
