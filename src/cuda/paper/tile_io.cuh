// Loads and stores of a warp's part of a tile. Memory is fastest if neighbouring lanes access neighbouring addresses,
// 16 bytes per lane (striped); a scan needs neighbouring values in one thread (blocked). The exchange goes through
// shared memory that only this warp uses, so that no block-wide barrier is needed.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda::paper {

/// The slot of 16-byte vector `v` in a warp's shared memory. Shared memory serves 8 lanes of 16 bytes at a time; with
/// these slots they use different banks in both directions of the exchange, for 1, 2, 4 or 8 vectors per lane.
KANN_HOST_DEVICE constexpr int exchange_slot(int v) { return v ^ (v / 8 % 8); }

/// The exchange of `items` values of T per lane; items × sizeof(T) = 16, 32, 64 or 128.
template <class T, int items>
class Tile {
 public:
  static constexpr int values = items * warp::k_lanes;  ///< the number of values of the whole warp
  static constexpr int vectors_per_lane = items * static_cast<int>(sizeof(T)) / 16;
  static constexpr int vectors = vectors_per_lane * warp::k_lanes;  ///< 16-byte vectors in shared memory
  static_assert(items * sizeof(T) == 16 * vectors_per_lane && vectors_per_lane <= 8);

  /// `blocked` of lane l = d_in[l·items] …; values at `valid` and later are 0 and are not read. Called by all 32 lanes
  /// with the same d_in and the warp's own `s_exchange`.
  static __device__ __forceinline__ void load(const T* d_in, std::int64_t valid, uint4* s_exchange,
                                              T (&blocked)[items]) {
    const int lane = warp::lane_id();
    if (valid >= values && is_aligned(d_in)) {
      uint4 striped[vectors_per_lane];
#pragma unroll
      for (int i = 0; i < vectors_per_lane; ++i)
        striped[i] = reinterpret_cast<const uint4*>(d_in)[i * warp::k_lanes + lane];
#pragma unroll
      for (int i = 0; i < vectors_per_lane; ++i) s_exchange[exchange_slot(i * warp::k_lanes + lane)] = striped[i];
    } else {
      for (int i = 0; i < items; ++i) {
        const int value = i * warp::k_lanes + lane;
        *element(s_exchange, value) = value < valid ? d_in[value] : T{0};
      }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vectors_per_lane; ++i) {
      const uint4 vector = s_exchange[exchange_slot(lane * vectors_per_lane + i)];
      std::memcpy(blocked + i * per_vector, &vector, sizeof vector);
    }
    __syncwarp();  // s_exchange may be written again
  }

  /// The reverse of load(): d_out[l·items] … = `blocked` of lane l; nothing is written at `valid` and later.
  static __device__ __forceinline__ void store(T* d_out, std::int64_t valid, uint4* s_exchange,
                                               const T (&blocked)[items]) {
    const int lane = warp::lane_id();
#pragma unroll
    for (int i = 0; i < vectors_per_lane; ++i) {
      uint4 vector;
      std::memcpy(&vector, blocked + i * per_vector, sizeof vector);
      s_exchange[exchange_slot(lane * vectors_per_lane + i)] = vector;
    }
    __syncwarp();
    if (valid >= values && is_aligned(d_out)) {
#pragma unroll
      for (int i = 0; i < vectors_per_lane; ++i) {
        const int v = i * warp::k_lanes + lane;
        reinterpret_cast<uint4*>(d_out)[v] = s_exchange[exchange_slot(v)];
      }
    } else {
      for (int i = 0; i < items; ++i) {
        const int value = i * warp::k_lanes + lane;
        if (value < valid) d_out[value] = *element(s_exchange, value);
      }
    }
    __syncwarp();  // s_exchange may be written again
  }

 private:
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(T));

  static __device__ __forceinline__ bool is_aligned(const T* d_pointer) {
    return reinterpret_cast<std::uintptr_t>(d_pointer) % sizeof(uint4) == 0;
  }
  static __device__ __forceinline__ T* element(uint4* s_exchange, int value) {
    return reinterpret_cast<T*>(s_exchange + exchange_slot(value / per_vector)) + value % per_vector;
  }
};

}  // namespace kann::cuda::paper
