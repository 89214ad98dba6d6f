#include "cpu/sq_distances.hpp"

#include "geometry/distance.hpp"

// One body, compiled for several processors; the loader picks by features (an arch= of a processor's name
// would be picked by its model number, and by few). Without fused instructions std::fma is a call: right, but 60 times
// slower (5.4 against 0.09 ns a distance).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define KANN_WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define KANN_WIDEST
#endif

namespace kann::cpu {

KANN_WIDEST
void sq_distances_2d(const float* __restrict x, const float* __restrict y, std::int64_t count,
                     const float* __restrict query, float* __restrict out) {
  const float qx = query[0], qy = query[1];
  for (std::int64_t i = 0; i < count; ++i) out[i] = sq_distance_2d(qx - x[i], qy - y[i]);
}

KANN_WIDEST
void sq_distances_3d(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                     std::int64_t count, const float* __restrict query, float* __restrict out) {
  const float qx = query[0], qy = query[1], qz = query[2];
  for (std::int64_t i = 0; i < count; ++i) out[i] = sq_distance_3d(qx - x[i], qy - y[i], qz - z[i]);
}

}  // namespace kann::cpu
