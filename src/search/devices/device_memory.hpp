// Whether a search fits the memory of a CUDA device.
#pragma once

#include "kann/device.hpp"

#include "problem/problem.hpp"

namespace kann::detail {

/// The properties of a search that its device memory depends on.
struct DeviceLoad {
  double data = 0, queries = 0;  ///< numbers of points; equal in a self-query
  double k = 0;
  int dimensions = 3;
  bool is_float64 = false, is_self = false;
  bool is_exact = true;
  bool finds_clusters = false;  ///< of the data, or of the largest tile of them
};

/// The most bytes of device memory that a search takes.
double device_bytes(const DeviceLoad& load);

/// device_bytes() for a problem.
double device_bytes(const problem::Problem& problem);

/// Bytes that a search may take on CUDA device `index`; infinite if there is none. Starts no device.
double usable_memory(int index);

/// The usable_memory() of the CUDA device that a search must run on; infinite if it may run on the CPU.
double device_budget(const DeviceChoice& choice);

}  // namespace kann::detail
