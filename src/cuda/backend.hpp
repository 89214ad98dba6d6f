// The interface of the CUDA backend. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>
#include <string>

#include "kann/points.hpp"

#include "cuda/runtime/names.hpp"
#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"

struct CUstream_st;  // a cudaStream_t points to one

namespace kann::cuda {

class Staging;  // runtime/transfer.hpp

/// Whether this build has the backend.
bool is_built();

/// Whether device `index` can run this build's code. Creates its context, which takes some 0.2 s the first time.
CudaStatus status(int index);

/// The number of CUDA devices, of those that CUDA_VISIBLE_DEVICES names; 0 if the runtime or the driver is missing.
/// Creates no context.
int device_count();

/// The properties by which devices are compared.
struct DeviceTraits {
  std::string name;
  double speed = 1;         ///< multiprocessors × clock: in proportion to the speed of searches that mostly compute
  double memory_bytes = 0;  ///< all memory of the device
};

/// The traits of device `index`. Creates no context. @throws Error no_device.
DeviceTraits traits(int index);

/// Whether status() has found device `index` usable in this process, so that work there need not wait for its start.
/// Does not block.
bool has_started(int index);

/// Pinned buffers for the transfers of device `index`; null if the device cannot be used. Blocks, for some 9 ms.
std::shared_ptr<Staging> make_staging(int index);

/// Parts of a search that can be made ahead of it.
struct Prewarmed {
  std::shared_ptr<Staging> staging;  ///< for the same device
  Neighbors result;                  ///< arrays of the answer's size, whose content does not matter
};

/// Solves the problem on device `index`; the same bytes as cpu::solve. Blocks.
/// @throws Error no_device, resources (device memory), internal.
Answer solve(const Problem& problem, int index, Prewarmed prewarmed = {});

/// Queries on a device, and where their rows go on it.
struct DeviceQueries {
  PointsView d_points;
  std::int32_t* d_ids;  ///< queries × k
  float* d_distances;   ///< queries × k
  CUstream_st* stream;
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
  Answer solve(const Problem& problem, Prewarmed prewarmed = {});

  /// Queues the search of `queries`, an exact problem whose data are `data`, on their stream, and does not wait for it.
  /// Rows and ids are those of the input. A query with a coordinate that is not finite, or at least 2⁵⁰⁹ in magnitude,
  /// gets missing neighbours. `problem` has the number of queries, but not the queries.
  void queue(const Problem& problem, const problem::PreparedData& data, const DeviceQueries& queries);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::cuda
