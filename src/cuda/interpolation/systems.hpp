// The systems of all queries, assembled, solved and summed by one kernel.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "geometry/interpolation/rbf_input.hpp"

namespace kann::cuda {

/// What the kernel reads and writes, on the device.
struct RbfSystems {
  const double* d_data;       ///< points × dimensions
  const double* d_queries;    ///< queries × dimensions
  const std::int32_t* d_ids;  ///< queries × k
  const double* d_columns;    ///< attributes × points
  double* d_values;           ///< attributes × queries
  interpolation::QueryState* d_states;
  std::int64_t points, queries;
  int k, dimensions, attributes;
  RbfOptions options;
};

/// Queues the interpolation at all queries that are regular, with the results of cpu::interpolate(). @throws Error as
/// check().
void interpolate_systems(const RbfSystems& systems, cudaStream_t stream);

}  // namespace kann::cuda
