// The system of one query, written to shared memory by a team of threads: a part of a warp, or a block.
#pragma once

#include "cuda/interpolation/systems.hpp"
#include "geometry/interpolation/kernels-inl.hpp"
#include "geometry/interpolation/shape.hpp"

namespace kann::cuda {

/// The memory of a team's system: n rows of `stride` numbers, whose right-hand sides are in column `rhs`; then the
/// coordinates of the points, three each.
struct SystemTile {
  double* values;
  int stride, rhs;
  double* points;  // points × 3
  double* frame;   // per axis: shift, 1 / scale, extent

  __device__ double& at(int i, int j) const { return values[i * stride + j]; }
};

/// What a team knows about its query; it is the same in all of its threads.
struct TeamQuery {
  std::int64_t query;
  int points = 0;  // 0 if the query is irregular, and has no system
  unsigned monomials = 0;
  int rows = 0;
};

__device__ __forceinline__ double radial_of(RbfKernel kernel, double s) {
  using namespace interpolation::scalar;
  switch (kernel) {
    case RbfKernel::thin_plate_spline:
      return radial<RbfKernel::thin_plate_spline>(s);
    case RbfKernel::cubic:
      return radial<RbfKernel::cubic>(s);
    case RbfKernel::linear:
      return radial<RbfKernel::linear>(s);
    default:
      return radial<RbfKernel::gaussian>(s);
  }
}

__device__ __forceinline__ double kernel_scale_of(RbfKernel kernel, double s, double smoothing) {
  using namespace interpolation::scalar;
  switch (kernel) {
    case RbfKernel::thin_plate_spline:
      return kernel_scale<RbfKernel::thin_plate_spline>(s, smoothing);
    case RbfKernel::cubic:
      return kernel_scale<RbfKernel::cubic>(s, smoothing);
    case RbfKernel::linear:
      return kernel_scale<RbfKernel::linear>(s, smoothing);
    default:
      return kernel_scale<RbfKernel::gaussian>(s, smoothing);
  }
}

/// Finds what a team knows about its query; it has points only if the neighbours are at the beginning of its row, and
/// enough for its monomials. Called by all threads of a team; each reads the whole row, which is one or two cache
/// lines.
__device__ __forceinline__ TeamQuery team_query(const RbfSystems& s, std::int64_t query) {
  TeamQuery q{query};
  const std::int32_t* const ids = s.d_ids + query * s.k;
  int present = 0, last = 0;
  for (int i = 0; i < s.k; ++i)
    if (ids[i] >= 0) {
      ++present;
      last = i + 1;
    }
  const unsigned monomials = interpolation::monomials_of(s.options.degree, s.dimensions);
  const int count = interpolation::monomial_count(monomials);
  if (present != last || present < max(1, count)) return q;
  q.points = present;
  q.monomials = monomials;
  q.rows = present + count;
  return q;
}

/// Writes the system of `q`, with the same numbers as on the CPU (cpu/interpolation/lane_weights.cpp). Called by all
/// threads of a team; `sync` waits for these. The system is valid when this returns. Returns whether the calling thread
/// has seen coincident points.
template <class Sync>
__device__ __forceinline__ bool assemble(const RbfSystems& s, const TeamQuery& q, const SystemTile& tile, int rank,
                                         int threads, Sync&& sync) {
  using namespace interpolation::scalar;
  const int m = q.points;
  for (int i = rank; i < m; i += threads) {
    const double* const p = s.d_data + std::int64_t{s.d_ids[q.query * s.k + i]} * s.dimensions;
    for (int axis = 0; axis < 3; ++axis) tile.points[i * 3 + axis] = axis < s.dimensions ? p[axis] : 0;
  }
  sync();
  for (int axis = rank; axis < 3 && m > 0; axis += threads) {
    double low = tile.points[axis], high = low;
    for (int i = 1; i < m; ++i) {
      const double c = tile.points[i * 3 + axis];
      low = c < low ? c : low;
      high = c > high ? c : high;
    }
    const double half = (high - low) * 0.5;
    tile.frame[axis] = (high + low) * 0.5;
    tile.frame[3 + axis] = 1 / (half == 0 ? 1 : half);
    tile.frame[6 + axis] = high - low;
  }
  sync();
  if (m == 0) {
    sync();
    return false;
  }

  const double sq_epsilon = s.options.epsilon * s.options.epsilon;
  const double unit = kernel_scale_of(
      s.options.kernel, sum_of_squares(tile.frame[6], tile.frame[7], tile.frame[8]) * sq_epsilon, s.options.smoothing);
  const double diagonal = unit * (radial_of(s.options.kernel, 0) + s.options.smoothing);
  const double* const given = s.d_queries + q.query * s.dimensions;
  const double at_query[3] = {given[0], given[1], s.dimensions == 3 ? given[2] : 0};
  const auto kernel_at = [&](const double* p, const double* o) {
    return sum_of_squares(p[0] - o[0], p[1] - o[1], p[2] - o[2]);
  };
  const auto scaled = [&](const double* p, double(&u)[3]) {
    for (int axis = 0; axis < 3; ++axis) u[axis] = (p[axis] - tile.frame[axis]) * tile.frame[3 + axis];
  };
  bool coincident = false;
  for (int i = rank; i < m; i += threads) {
    const double* const p = tile.points + i * 3;
    // Each pair is computed once: point i is paired with the half of the others that follow it in a circle. With m = 5,
    // point 3 is paired with points 4 and 0.
    for (int step = 1; 2 * step <= m; ++step) {
      if (2 * step == m && i >= step) break;
      const int j = i + step < m ? i + step : i + step - m;
      const double sq_distance = kernel_at(p, tile.points + j * 3);
      coincident |= sq_distance == 0;
      const double element = unit * radial_of(s.options.kernel, sq_distance * sq_epsilon);
      tile.at(i, j) = element;
      tile.at(j, i) = element;
    }
    tile.at(i, i) = diagonal;
    tile.at(i, tile.rhs) = unit * radial_of(s.options.kernel, kernel_at(p, at_query) * sq_epsilon);
    double u[3];
    scaled(p, u);
    int row = m;
    for (int number = 0; number < interpolation::k_monomials; ++number) {
      if (!(q.monomials >> number & 1)) continue;
      const double element = monomial(number, u);
      tile.at(i, row) = element;
      tile.at(row, i) = element;
      ++row;
    }
  }
  double u[3];
  scaled(at_query, u);
  for (int row = m + rank; row < q.rows; row += threads) {
    for (int j = m; j < q.rows; ++j) tile.at(row, j) = 0;
    unsigned left = q.monomials;
    for (int i = m; i < row; ++i) left &= left - 1;
    tile.at(row, tile.rhs) = monomial(__ffs(static_cast<int>(left)) - 1, u);
  }
  sync();
  return coincident;
}

}  // namespace kann::cuda
