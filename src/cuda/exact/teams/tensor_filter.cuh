// Finds which of 32 points may be within the bound of each of a warp's 32 queries, by products of float16 matrices.
// This takes two instructions per 8 points, where 32 float32 distances take 14 per point. A point within the bound is
// never left out; for the points that pass, the float32 distance decides.
//
// Coordinates are converted to a frame around the warp's queries and all points within their bounds, as v in [−½, ½],
// rounded to multiples of 2⁻¹². A point outside is moved onto the frame, which only brings it nearer to every query.
// Rounding moves both points by √3·2⁻¹³ at most, so a point within r is within ρ = r + 2·√3·2⁻¹³ after it. That is
// tested by the sign of |q|² − ρ² + |p|² − 2·q·p: a row (−2q, 1, 1, C in two parts) times a column (p, |p|² in two
// parts, 1, 1), where C is |q|² − ρ² less k_slack.
//
// "Within" refers to float32 squared distances. These, and the conversion of a coordinate and a bound to the frame, are
// off by less than 2⁻²⁰ of the frame, which k_moved includes. As v is a multiple of 2⁻¹², v, −2v and |p|² are exact in
// float32; v, −2v and the high parts of |p|² and C are also exact in float16. The low parts are off by 2⁻²⁴ at most,
// and the sum of eight products, each of at most 1, by 2⁻²⁰. k_slack is more than all these errors together, and more
// than what denormal bounds lose.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/matrix.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// What TensorFilter keeps in the shared memory of a warp, since registers are few.
template <int batches>
struct TensorFilterMemory {
  uint4 columns[batches][warp::k_lanes];  // the columns of the points, as float16s
  uint4 rows[warp::k_lanes];              // for each lane, the parts of the queries' rows that it holds
  float sq_norms[warp::k_lanes];          // |q|²
  float centre[3], scale;                 // the frame
};

/// A filter for up to `batches` batches of 32 points. Called by all 32 lanes of a warp, each for its own query. The
/// query of lane i is row i / 4 + 8·(i % 4) of the matrix, so that the four rows of which a lane holds parts are the
/// queries of its own group of four lanes.
template <int batches>
class TensorFilter {
 public:
  __device__ __forceinline__ explicit TensorFilter(TensorFilterMemory<batches>& s_memory) : s_(s_memory) {}

  /// Begins a frame that holds all points within `reach` of any query; `reach` is the same in all lanes. Returns false
  /// if it is out of range, or so small beside the frame that rounding would let too many points pass; the filter must
  /// not be used then. Valid in all lanes.
  __device__ __forceinline__ bool begin(const float (&query)[3], float reach) {
    float centre[3], half_width = 0;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const float lo = warp::reduce_min(query[a]), hi = warp::reduce_max(query[a]);
      centre[a] = 0.5f * lo + 0.5f * hi;
      half_width = fmaxf(half_width, fmaxf(hi - centre[a], centre[a] - lo));
    }
    half_width = (half_width + reach) * (1 + 0x1p-20f);
    if (!(reach > 0x1p-60f && half_width < 0x1p60f && reach > 16 * k_moved * half_width)) return false;
    const float scale = 0.5f / half_width;
    const float v[3] = {in_frame(query[0], centre[0], scale), in_frame(query[1], centre[1], scale),
                        in_frame(query[2], centre[2], scale)};
    const std::uint32_t words[2] = {warp::float16_pair(-2 * v[0], -2 * v[1]), warp::float16_pair(-2 * v[2], 1)};
    const float sq_norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];  // exact
    const int lane = warp::lane_id();
    __syncwarp();  // what was here has been read
    // Word i of lane l's row is part l % 4 of lane l − l % 4 + i
    word_of_row(0) = words[0];
    word_of_row(1) = words[1];
    s_.sq_norms[lane] = sq_norm;
    if (lane == 0) {
#pragma unroll
      for (int a = 0; a < 3; ++a) s_.centre[a] = centre[a];
      s_.scale = scale;
    }
    __syncwarp();  // the frame and the rows are written
    return true;
  }

  /// Sets the lane's bound, a float32 squared distance; nothing is within a negative one. This and the following
  /// functions may be called once begin() has returned true.
  __device__ __forceinline__ void set_bound(float bound) {
    float root;  // relative error: 2⁻²²
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(fmaxf(bound, 0x1p-126f)));
    const float reach = root * s_.scale * (1 + 0x1p-20f) + k_moved;
    const float constant = bound < 0 ? 4.0f : s_.sq_norms[warp::lane_id()] - reach * reach - k_slack;
    const float high = rounded<11>(constant);
    __syncwarp();  // the bounds before have been read
    word_of_row(2) = warp::float16_pair(1, high);
    word_of_row(3) = warp::float16_pair(constant - high, 0);
    __syncwarp();  // the bounds are written
  }

  /// Stores 32 points, one per lane, as one of the batches. A point that does not exist is NaN. __syncwarp() must be
  /// called between this and candidates() of the batch, in either order.
  __device__ __forceinline__ void put(int batch, const PlacedPoint& p) {
    const float scale = s_.scale, v[3] = {in_frame(p.x, s_.centre[0], scale), in_frame(p.y, s_.centre[1], scale),
                                          in_frame(p.z, s_.centre[2], scale)};
    const float sq_norm = __fmaf_rn(v[2], v[2], __fmaf_rn(v[1], v[1], v[0] * v[0]));  // exact
    const float high = rounded<11>(sq_norm);
    const std::uint32_t one = warp::float16_pair(1, 0);
    s_.columns[batch][place_of_column(warp::lane_id())] = {
        warp::float16_pair(v[0], v[1]), warp::float16_pair(v[2], high), warp::float16_pair(sq_norm - high, 1), one};
  }

  /// Returns a bit for each of the 32 points of the batch that may be within the bound of the lane's query: bit i for
  /// the point of lane i. The bit of a point that does not exist may be set.
  __device__ __forceinline__ std::uint32_t candidates(int batch) const {
    std::uint32_t columns[4];
    warp::load_matrices(columns, &s_.columns[batch][place_of_column(bit_of_column(warp::lane_id()))]);
    const uint4 rows = s_.rows[warp::lane_id()];
    std::uint32_t signs = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float4 upper = warp::multiply(rows.x, rows.y, columns[i]),
                   lower = warp::multiply(rows.z, rows.w, columns[i]);
      signs |= warp::signs_of(upper.x, upper.y) & 0x00000101u << i;
      signs |= warp::signs_of(upper.z, upper.w) & 0x01010000u << i;
      signs |= warp::signs_of(lower.x, lower.y) & 0x00001010u << i;
      signs |= warp::signs_of(lower.z, lower.w) & 0x10100000u << i;
    }
    return transposed(signs);
  }

 private:
  /// The bit of candidates() that transposed() makes of column i % 8 of matrix i / 8.
  __device__ __forceinline__ static int bit_of_column(int i) { return i % 4 * 8 + i / 4 % 2 * 4 + i / 8; }
  /// Where the column of bit i is stored: neither eight consecutive columns nor the eight of a matrix share banks.
  __device__ __forceinline__ static int place_of_column(int i) { return i ^ i / 8; }

  static constexpr float k_moved = 2 * 1.7321f * 0x1p-13f + 0x1p-20f;  // how far rounding moves both points, at most
  static constexpr float k_slack = 0x1p-17f;                           // more than the error of the sum

  /// The nearest multiple of 2^−bits; |x| ≤ 1.
  template <int bits>
  __device__ __forceinline__ static float rounded(float x) {
    constexpr float magic = 1.5f * static_cast<float>(1u << (23 - bits));
    return __fadd_rn(__fadd_rn(x, magic), -magic);
  }
  __device__ __forceinline__ static float in_frame(float x, float centre, float scale) {
    constexpr float magic = 1.5f * static_cast<float>(1u << 11);  // as rounded<12>
    float from_edge;                                              // in [0, 1]; 0 for NaN
    asm("fma.rn.sat.f32 %0, %1, %2, 0f3F000000;" : "=f"(from_edge) : "f"(x - centre), "f"(scale));
    return __fadd_rn(__fadd_rn(from_edge, magic), -(magic + 0.5f));
  }

  /// Word i of the row of the lane's query: part of what lane i of its four lanes holds.
  __device__ __forceinline__ std::uint32_t& word_of_row(int i) const {
    const int lane = warp::lane_id();
    return reinterpret_cast<std::uint32_t*>(s_.rows)[(lane / 4 * 4 + i) * 4 + lane % 4];
  }

  /// In each group of four lanes, gives lane t the bits that all four have for query t. Before, a lane has the bits of
  /// queries 0 and 1 in the lower nibbles of two bytes each, and those of queries 2 and 3 in the upper nibbles.
  __device__ __forceinline__ static std::uint32_t transposed(std::uint32_t word) {
    const int lane = warp::lane_id();
    std::uint32_t other = __shfl_xor_sync(warp::k_all_lanes, word, 1);
    word = lane & 1 ? __byte_perm(word, other, 0x3276) : __byte_perm(word, other, 0x5410);
    other = __shfl_xor_sync(warp::k_all_lanes, word, 2);
    const std::uint32_t own = lane & 2 ? 0xf0f0f0f0u : 0x0f0f0f0fu, moved = lane & 2 ? other >> 4 : other << 4;
    return (word & own) | (moved & ~own);
  }

  TensorFilterMemory<batches>& s_;
};

}  // namespace kann::cuda::exact
