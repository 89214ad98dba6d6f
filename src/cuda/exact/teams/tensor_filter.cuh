// Which of 32 points may be within the bound of each of a warp's 32 queries, by products of matrices of float16: two
// instructions per 8 points, where 32 float32 distances take 14 per point. A point that is within the bound is never
// left out; of those that stay, the float32 distance decides.
//
// Coordinates are taken in a frame around the warp's queries and all points within their bounds, as v in [−½, ½],
// rounded to multiples of 2⁻¹². A point outside is moved onto the frame, which only brings it nearer to every query.
// Rounding moves both points by √3·2⁻¹³ at most, so a point within r is within ρ = r + 2·√3·2⁻¹³ after it. That is
// tested as |q|² − ρ² + |p|² − 2·q·p < 0: a row (−2q, 1, 1) times a column (p, |p|² in two parts), plus |q|² − ρ².
//
// "Within" is by float32 squared distances: these, and the way of a coordinate and a bound into the frame, differ from
// the exact ones by less than 2⁻²⁰ of the frame, which k_moved includes. v, −2v and |p|² of multiples of 2⁻¹² are exact
// in float32, v and −2v in float16 as well, as is the high part of |p|²; the low part is off by 2⁻²⁴ at most, and the
// sum of seven products of at most 1 by 2⁻²⁰. k_slack is more than both, and more than what denormal bounds lose.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/matrix.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// In the shared memory of a warp: registers are few.
struct TensorFilterMemory {
  uint4 columns[warp::k_lanes];                                           // of the points at hand, as float16s
  uint4 rows[warp::k_lanes];                                              // of the queries, the parts that a lane holds
  float4 upper_constants[warp::k_lanes], lower_constants[warp::k_lanes];  // |q|² − ρ² of those rows, each twice
  float sq_norms[warp::k_lanes];                                          // |q|²
  float centre[3], scale;                                                 // of the frame
};

/// Called by all 32 lanes of a warp, each for its own query. The query of lane i is row i / 4 + 8·(i % 4) of the
/// matrix: the four rows of which a lane holds parts are the queries of its own four lanes.
class TensorFilter {
 public:
  __device__ __forceinline__ explicit TensorFilter(TensorFilterMemory& s_memory) : s_(s_memory) {}

  /// Begins a frame that holds what is within `reach`, in which all lanes agree, of any query. Returns false if that is
  /// out of range, or so small beside the frame that rounding would let too many points pass: then nothing may be
  /// asked. Valid in all lanes.
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
    const std::uint32_t words[3] = {warp::float16_pair(-2 * v[0], -2 * v[1]), warp::float16_pair(-2 * v[2], 1),
                                    warp::float16_pair(1, 0)};
    const float sq_norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];  // exact
    const int lane = warp::lane_id();
    __syncwarp();  // what was here has been read
    // Word i of lane l's row is part l % 4 of lane l − l % 4 + i
    auto* const s_words = reinterpret_cast<std::uint32_t*>(s_.rows);
#pragma unroll
    for (int i = 0; i < 4; ++i) s_words[(lane / 4 * 4 + i) * 4 + lane % 4] = i < 3 ? words[i] : 0;
    s_.sq_norms[lane] = sq_norm;
    if (lane == 0) {
#pragma unroll
      for (int a = 0; a < 3; ++a) s_.centre[a] = centre[a];
      s_.scale = scale;
    }
    __syncwarp();  // all is written
    return true;
  }

  /// The lane's bound from now on, a float32 squared distance; less than 0: nothing is within it. Call after begin()
  /// has returned true, as what follows.
  __device__ __forceinline__ void set_bound(float bound) {
    const float reach = sqrtf(fmaxf(bound, 0.0f)) * s_.scale * (1 + 0x1p-20f) + k_moved;
    const float constant = bound < 0 ? 4.0f : s_.sq_norms[warp::lane_id()] - reach * reach - k_slack;
    __syncwarp();  // the bounds before have been read
    // To the four lanes that hold the query's row
    const int lane = warp::lane_id();
    float4* const s_half = lane & 2 ? s_.lower_constants : s_.upper_constants;
#pragma unroll
    for (int i = 0; i < 4; ++i) reinterpret_cast<float2*>(&s_half[lane / 4 * 4 + i])[lane & 1] = {constant, constant};
    __syncwarp();  // the bounds are written
  }

  /// Takes 32 points, one per lane, and returns a bit for each that may be within the bound of the lane's query: bit
  /// bit_of(i) for that of lane i. A point that does not exist is NaN; its bit may be set.
  __device__ __forceinline__ std::uint32_t candidates(const PlacedPoint& p) {
    const float scale = s_.scale, v[3] = {in_frame(p.x, s_.centre[0], scale), in_frame(p.y, s_.centre[1], scale),
                                          in_frame(p.z, s_.centre[2], scale)};
    const float sq_norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];  // exact
    const float high = rounded<11>(sq_norm);
    s_.columns[warp::lane_id()] = {warp::float16_pair(v[0], v[1]), warp::float16_pair(v[2], high),
                                   warp::float16_pair(sq_norm - high, 0), 0};
    __syncwarp();  // the columns are written
    std::uint32_t columns[4];
    warp::load_matrices(columns, &s_.columns[warp::lane_id()]);
    const uint4 rows = s_.rows[warp::lane_id()];
    const float4 upper = s_.upper_constants[warp::lane_id()], lower = s_.lower_constants[warp::lane_id()];
    std::uint32_t signs[4] = {};  // of the four queries, of two points of each bucket
#pragma unroll
    for (int bucket = 0; bucket < 4; ++bucket) {
      append_signs(signs[0], signs[1], warp::multiply_add(rows.x, rows.y, columns[bucket], upper));
      append_signs(signs[2], signs[3], warp::multiply_add(rows.z, rows.w, columns[bucket], lower));
    }
    return transposed(signs);
  }

  /// Of the point of lane i; a permutation.
  __device__ __forceinline__ static int bit_of(int i) { return 7 - (i / 8 * 2 + i % 2) + i % 8 / 2 * 8; }

 private:
  static constexpr float k_moved = 2 * 1.7321f * 0x1p-13f + 0x1p-20f;  // by rounding, of both points
  static constexpr float k_slack = 0x1p-17f;                           // of the sum

  /// The nearest multiple of 2^−bits; |x| ≤ 1.
  template <int bits>
  __device__ __forceinline__ static float rounded(float x) {
    constexpr float magic = 1.5f * static_cast<float>(1u << (23 - bits));
    return __fadd_rn(__fadd_rn(x, magic), -magic);
  }
  __device__ __forceinline__ static float in_frame(float x, float centre, float scale) {
    return rounded<12>(fminf(fmaxf((x - centre) * scale, -0.5f), 0.5f));
  }

  /// Appends the signs of the first two sums to `first`, and those of the others to `second`.
  __device__ __forceinline__ static void append_signs(std::uint32_t& first, std::uint32_t& second, const float4& sums) {
    first = __funnelshift_l(__float_as_uint(sums.y), __funnelshift_l(__float_as_uint(sums.x), first, 1), 1);
    second = __funnelshift_l(__float_as_uint(sums.w), __funnelshift_l(__float_as_uint(sums.z), second, 1), 1);
  }

  /// Byte i of lane j of the four lanes' words becomes byte j of lane i.
  __device__ __forceinline__ static std::uint32_t transposed(const std::uint32_t (&bytes)[4]) {
    std::uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
    const int lane = warp::lane_id();
    std::uint32_t other = __shfl_xor_sync(warp::k_all_lanes, word, 2);
    word = lane & 2 ? __byte_perm(word, other, 0x3276) : __byte_perm(word, other, 0x5410);
    other = __shfl_xor_sync(warp::k_all_lanes, word, 1);
    return lane & 1 ? __byte_perm(word, other, 0x3715) : __byte_perm(word, other, 0x6240);
  }

  TensorFilterMemory& s_;
};

}  // namespace kann::cuda::exact
