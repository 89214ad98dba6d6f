// Whether a search fits the memory of the CUDA devices that are asked for.
#pragma once

#include "kann/device.hpp"

#include "problem/problem.hpp"

namespace kann::detail {

/// One search, as far as the device memory that it takes depends on it.
struct DeviceLoad {
  double data = 0, queries = 0;  ///< points; in a self-query, both are those of the data
  double k = 0;
  int dimensions = 3;
  bool is_float64 = false, is_self = false;
};

/// Bytes of device memory that a search takes, at most.
double device_bytes(const DeviceLoad& load);

/// The same of a problem.
double device_bytes(const problem::Problem& problem);

/// Bytes that a search may take on CUDA device `index`; infinite if there is none. Starts no device.
double usable_memory(int index);

/// The same of the smallest of the CUDA devices that a search must run on; infinite if it may run on the CPU.
double device_budget(const DeviceChoice& choice);

}  // namespace kann::detail
