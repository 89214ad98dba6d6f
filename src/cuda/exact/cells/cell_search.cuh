// A lane searches for a query of its own, in the cells that a ball around it meets. The radius of the ball is a guess,
// from the density of all data, and a row is proven by it: if enough points are in the ball, none outside is a
// neighbour. The ranges of points of the rows of cells are listed, and then read one after another in a single loop,
// whatever the range. A point in the ball, a hit, is kept as one word: its squared distance in fixed point above the
// number of its range and its place in that.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/exact/cells/cell_order.hpp"
#include "cuda/exact/query.cuh"
#include "cuda/exact/write_neighbors.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/smallest_in.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/shared_memory.cuh"

namespace kann::cuda::exact {

/// The limits of a search: its ball meets at most `rows` rows of cells along y and along z, and has at most `hits`
/// hits.
template <int rows_across, int hit_capacity>
struct BallShape {
  static constexpr int rows = rows_across, hits = hit_capacity;
  static constexpr int ranges = rows * rows;
  static constexpr int place_bits = 6;  // the bits of a point's place in its range
  static constexpr int code_bits = place_bits + std::bit_width(static_cast<unsigned>(ranges - 1));
};

/// The shared memory of a warp.
template <class Shape>
struct CellSearchMemory {
  std::uint32_t hits[Shape::hits][warp::k_lanes];
  std::uint32_t begins[Shape::ranges][warp::k_lanes];
  std::uint8_t lengths[Shape::ranges][warp::k_lanes];
};

/// Called by one thread, for its query. `drops_self`: whether queries may be data points, which are not their own
/// neighbours.
template <int K, class Real, bool drops_self, class Shape>
class CellSearch {
 public:
  using Memory = CellSearchMemory<Shape>;

  __device__ __forceinline__ CellSearch(const Search<Real>& search, const Cells& cells, const Query<Real>& query,
                                        float radius, Memory& s_memory)
      : search_(search), cells_(cells), query_(query), radius_(radius), s_(s_memory) {
    list_ranges();
    collect();
  }

  /// Writes the row if the hits prove it, as write_neighbors(). Returns whether it did.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row) const {
    const auto size = static_cast<int>(search_.list_size);
    const auto words = thread::smallest_of<K, std::uint32_t>(is_complete_ ? hit_count_ : 0,
                                                             [this](int i) { return s_.hits[i][warp::lane_id()]; });
    // The words of neighbours `size` − 1 and `size`, counted from 0: the words are ascending, and an index would move
    // all of them to local memory
    std::uint32_t last = 0, next = words.left_out();
#pragma unroll
    for (int j = 0; j < K; ++j) last = j < size ? words[j] : last;
#pragma unroll
    for (int j = K - 1; j >= 0; --j) next = j >= size ? words[j] : next;
    if (!is_complete_ || hit_count_ < size || !is_before(last, next)) return false;

    return write_neighbors<K>(
        search_.tree, query_, size, [&](int j) { return place_of(words[j]); }, rows, row);
  }

 private:
  static constexpr std::uint32_t k_code_mask = (1u << Shape::code_bits) - 1;
  static constexpr std::uint32_t k_max_length = (1u << Shape::place_bits) - 1;
  /// The fixed-point value of the square of the radius.
  static constexpr std::uint32_t k_limit = (1u << (32 - Shape::code_bits)) - 4;
  static constexpr int k_at_once = 3;  // points that are read at once
  /// The bytes from one hit of the lane to its next, which is the same for beginnings of ranges; and those from one
  /// length to the next.
  static constexpr unsigned k_begin_step = warp::k_lanes * sizeof(std::uint32_t), k_length_step = warp::k_lanes;
  static_assert(2 * k_at_once <= k_points_past_end);

  /// Lists the ranges of points that the ball meets. The list is not complete if the query is farther outside of the
  /// box than the box is wide: the rounding of such a query's place has no bound.
  ///
  /// In the following, lengths are in cells of y and z, and r is the radius. A point in the ball that is e and f away
  /// along y and z is at most √(r² − e² − f²) away along x. Rounding moves both places by less than s together, so that
  /// these lengths are computed as at most e + s and f + s. Since (e + s)² + (f + s)² ≤ e² + f² + 2√2·s·r + 2s² ≤ e² +
  /// f² + (r + 2s)² − r², subtracting both squares from (r + 2s)² leaves at least r² − e² − f². The factors cover the
  /// rounding of float32 here.
  __device__ __forceinline__ void list_ranges() {
    const CellGrid& grid = cells_.grid;
    const float x = grid.place(query_.x, 0), y = grid.place(query_.y, 1), z = grid.place(query_.z, 2);
    const float reach = radius_ * grid.inv[1] * (1 + 0x1p-18f) + 2 * fmaxf(grid.slack[1], grid.slack[2]);
    const float first_y = floorf(y - reach), first_z = floorf(z - reach);
    is_complete_ = fabsf(x) < 2 * grid.cells[0] && fabsf(y) < 2 * grid.cells[1] && fabsf(z) < 2 * grid.cells[2] &&
                   y + reach < first_y + Shape::rows && z + reach < first_z + Shape::rows;
    if (!is_complete_) return;
    float sq_dist_y[Shape::rows];
#pragma unroll
    for (int j = 0; j < Shape::rows; ++j) sq_dist_y[j] = sq_dist_to_row(y, first_y + j, grid.cells[1]);
    const auto row_y = static_cast<std::uint32_t>(static_cast<int>(first_y)),
               row_z = static_cast<std::uint32_t>(static_cast<int>(first_z)),
               row_cells = static_cast<std::uint32_t>(grid.cells[0]);
    unsigned s_begin = warp::shared_address(&s_.begins[0][warp::lane_id()]),
             s_length = warp::shared_address(&s_.lengths[0][warp::lane_id()]);
    std::uint32_t longest = 0;
#pragma unroll(Shape::rows <= 4 ? Shape::rows : 1)  // to load less code where queries are few
    for (int i = 0; i < Shape::rows; ++i) {
      const float left = reach * reach - sq_dist_to_row(z, first_z + i, grid.cells[2]);
      const std::uint32_t first_cell = ((row_z + i) * static_cast<std::uint32_t>(grid.cells[1]) + row_y) * row_cells;
      std::uint32_t begins[Shape::rows], lengths[Shape::rows];
#pragma unroll
      for (int j = 0; j < Shape::rows; ++j) {
        begins[j] = lengths[j] = 0;
        if (left > sq_dist_y[j]) {
          const CellRange cells = cells_along_x(x, left - sq_dist_y[j]);
          const std::uint32_t* const d_row = cells_.d_begins + (first_cell + j * row_cells);
          begins[j] = d_row[cells.first];
          lengths[j] = d_row[cells.last + 1] - begins[j];
        }
      }
#pragma unroll
      for (int j = 0; j < Shape::rows; ++j) {
        longest = max(longest, lengths[j]);
        if (lengths[j] == 0) continue;
        warp::store_shared(s_begin, begins[j]);
        warp::store_shared_byte(s_length, lengths[j]);
        s_begin += k_begin_step;
        s_length += k_length_step;
      }
    }
    is_complete_ = longest <= k_max_length;
    s_ranges_end_ = s_length;
  }

  struct CellRange {
    std::uint32_t first, last;
  };

  /// The cells of a row that the ball meets, or a cell at an end of the row if it meets none. `sq_reach`: the square of
  /// the ball's reach along x, in cells of y.
  __device__ __forceinline__ CellRange cells_along_x(float x, float sq_reach) const {
    const CellGrid& grid = cells_.grid;
    float reach;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(reach) : "f"(sq_reach));
    reach = reach * grid.x_per_y + grid.slack[0];
    const float last = static_cast<float>(grid.cells[0] - 1);
    return {floor_of(fminf(fmaxf(x - reach, 0.0f), last)), floor_of(fminf(fmaxf(x + reach, 0.0f), last))};
  }

  /// The largest integer that is not greater than x, 0 ≤ x < 2²². A conversion would take four times as long.
  __device__ __forceinline__ static std::uint32_t floor_of(float x) {
    return __float_as_uint(__fadd_rd(x, 0x1p23f)) - 0x4b000000u;
  }

  /// The squared distance from a place to a row of cells; infinite if there is no such row.
  __device__ __forceinline__ static float sq_dist_to_row(float place, float row, int rows) {
    const float dist = fmaxf(fmaxf(row - place, place - (row + 1)), 0.0f);
    return row >= 0 && row < rows ? dist * dist : INFINITY;
  }

  /// Keeps the points of the ranges that are in the ball. The next points are loaded while the current ones are tested.
  __device__ __forceinline__ void collect() {
    const float sq_radius = radius_ * radius_, scale = static_cast<float>(k_limit) / sq_radius;
    const unsigned s_begin = warp::shared_address(&s_.hits[0][warp::lane_id()]);
    const unsigned s_last = s_begin + (Shape::hits - k_at_once) * k_begin_step;
    unsigned s_end = s_begin;
    // Where the begin and the length of the next range are
    unsigned s_place = warp::shared_address(&s_.begins[0][warp::lane_id()]),
             s_length = warp::shared_address(&s_.lengths[0][warp::lane_id()]);
    std::uint32_t next_code = 0;
    const PlacedPoint* d_next = search_.tree.d_points;  // the points to read next; next_left of them are in the range
    int next_left = 0;
    const auto begin_range = [&] {
      d_next = search_.tree.d_points + warp::load_shared(s_place);
      next_left = static_cast<int>(warp::load_shared_byte(s_length));
      s_place += k_begin_step;
      s_length += k_length_step;
    };
    if (is_complete_ && s_length < s_ranges_end_) begin_range();
    PlacedPoint points[k_at_once];
    std::uint32_t code = 0;
    int left = next_left;
#pragma unroll
    for (int i = 0; i < k_at_once; ++i) points[i] = d_next[i];
    std::uint32_t range_code = 0;
#pragma unroll 1
    while (left > 0 && s_end <= s_last) {
      next_left = left - k_at_once;
      next_code = code + k_at_once;
      d_next += k_at_once;
      if (next_left <= 0 && s_length < s_ranges_end_) {
        begin_range();
        range_code += 1u << Shape::place_bits;
        next_code = range_code;
      }
      PlacedPoint next[k_at_once];
#pragma unroll
      for (int i = 0; i < k_at_once; ++i) next[i] = d_next[i];
#pragma unroll
      for (int i = 0; i < k_at_once; ++i) {
        const float sq_dist = query_.sq_dist_to(points[i]);
        // The sum is at least 2²³ and less than 2²⁴, whose floats are integers: the lower bits are the nearest one
        const std::uint32_t fixed = __float_as_uint(__fmaf_rn(sq_dist, scale, 0x1p23f));
        const bool is_self = drops_self && query_.is(points[i].index);
        if (i < left && sq_dist <= sq_radius && !is_self) {
          warp::store_shared(s_end, (fixed << Shape::code_bits) + (code + i));
          s_end += k_begin_step;
        }
      }
#pragma unroll
      for (int i = 0; i < k_at_once; ++i) points[i] = next[i];
      left = next_left;
      code = next_code;
    }
    is_complete_ &= left <= 0;
    hit_count_ = static_cast<int>((s_end - s_begin) / k_begin_step);
  }

  /// Whether float32 proves that the point of `word` is nearer than that of `next`, and than all points outside of the
  /// ball.
  __device__ __forceinline__ bool is_before(std::uint32_t word, std::uint32_t next) const {
    const float unit = radius_ * radius_ * (1 / static_cast<float>(k_limit));
    const auto fixed = static_cast<float>(word >> Shape::code_bits),
               next_fixed = static_cast<float>(min(next >> Shape::code_bits, k_limit));
    // A word is off by half a unit; the relative error of `unit` and `scale` is 2⁻²²
    const float above = (fixed + 1) * unit * (1 + 0x1p-20f), below = (next_fixed - 1) * unit * (1 - 0x1p-20f);
    return below > query_.filter_above(query_.exact_above(above));
  }

  __device__ __forceinline__ std::uint32_t place_of(std::uint32_t word) const {
    const std::uint32_t code = word & k_code_mask;
    return s_.begins[code >> Shape::place_bits][warp::lane_id()] + (code & k_max_length);
  }

  const Search<Real>& search_;
  const Cells& cells_;
  const Query<Real>& query_;
  const float radius_;
  Memory& s_;
  bool is_complete_ = true;    // all points in the ball are among the hits
  unsigned s_ranges_end_ = 0;  // the address past the last of the lane's lengths
  int hit_count_ = 0;
};

}  // namespace kann::cuda::exact
