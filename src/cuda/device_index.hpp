// The backend of kann::DeviceIndex. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>

#include "kann/device_index.hpp"
#include "kann/points.hpp"

#include "cuda/backend.hpp"
#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

/// Data that a caller has on a device. All functions may be called by several threads.
class DeviceIndex {
 public:
  /// As kann::DeviceIndex(); the device must be usable, and the number of points and dimensions checked.
  DeviceIndex(const PointsView& d_data, const DeviceIndexOptions& options);
  ~DeviceIndex();
  DeviceIndex(const DeviceIndex&) = delete;
  DeviceIndex& operator=(const DeviceIndex&) = delete;

  const problem::SurveyedData& data() const;

  /// Queues an exact_problem() of data(), as kann::DeviceIndex::queue_search() does, or queue_search_self() if
  /// Problem::drop_self; `queries` are the data then.
  void queue(Problem problem, const DeviceQueries& queries);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::cuda
