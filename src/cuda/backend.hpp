// The interface of the CUDA backend. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kann/device_index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

#include "cuda/runtime/names.hpp"
#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"

struct CUstream_st;  // a cudaStream_t points to one

namespace kann::cuda {

/// Whether this build has the backend.
bool is_built();

/// Whether device `index` can run this build's code. Creates its context, which takes some 0.2 s the first time.
CudaStatus status(int index);

/// The number of CUDA devices, of those that CUDA_VISIBLE_DEVICES names; 0 if the runtime or the driver is missing.
/// Creates no context.
int device_count();

/// What is asked of a device before it is used.
struct DeviceTraits {
  std::string name;
  double memory_bytes = 0;  ///< all memory of the device
};

/// The traits of device `index`. Creates no context. @throws Error no_device.
DeviceTraits traits(int index);

/// Whether status() has found device `index` usable in this process, so that work there need not wait for its start.
/// Does not block.
bool has_started(int index);

/// The seconds that work takes the CPU from which on DeviceKind::automatic takes device `index`: that of the device's
/// start and of its end, for which the driver makes the process wait, or little once it has started. Does not look for
/// a device.
inline double seconds_worth(int index) { return has_started(index) ? 2e-3 : 0.34; }

/// Pins the buffers for the transfers of device `index`, which are kept, ahead of its first search. Blocks, for some
/// 17 ms. Errors are left to the search.
void make_staging(int index);

/// Solves the problem on device `index`; the same bytes as cpu::solve. `result` may have arrays of the answer's size
/// that are taken for it, and whose content does not matter. Blocks.
/// @throws Error no_device, resources (device memory), internal.
Answer solve(const Problem& problem, int index, Neighbors result = {});

/// Queries on a device, and where their rows go on it.
struct DeviceQueries {
  PointsView d_points;
  std::int32_t* d_ids;  ///< queries × k
  float* d_distances;   ///< queries × k
  CUstream_st* stream;
  std::optional<double> radius = {};  ///< neighbours that are farther are missing
  std::optional<DeviceGroups> groups = {};
  DeviceLists lists = {};  ///< with Problem::list_radius, where the rows go, instead
};

/// One cloud of data, which stays on device `index` from its first problem on, with the orders that problems need. All
/// functions block until these are made, and may be called by several threads.
class Index {
 public:
  explicit Index(int index);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  /// As cuda::solve(). The data of all problems must be the same, in the same memory.
  Answer solve(const Problem& problem, Neighbors result = {});

  /// Queues the search of `queries`, an exact problem whose data are `data`, on their stream, and does not wait for it.
  /// Rows and ids are those of the input. A query with a coordinate that is not finite, or at least 2⁵⁰⁹ in magnitude,
  /// gets missing neighbours. `problem` has the number of queries, but not the queries.
  void queue(Problem problem, const problem::PreparedData& data, const DeviceQueries& queries);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::cuda
