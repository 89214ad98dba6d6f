// The choice of the device that a search runs on.
#pragma once

#include <string>

#include "kann/search.hpp"

#include "problem/problem.hpp"
#include "search/devices/auto_rule.hpp"

namespace kann::detail {

struct ChosenDevice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda
  int index = 0;                      ///< of a CUDA device, which is usable
  std::string reason;                 ///< why DeviceKind::automatic chose it; empty if it was asked for
  Neighbors result;                   ///< preallocated arrays of the answer's size; may be empty
  double start_up_seconds = 0;        ///< how long the CUDA device took to start
  double waited_seconds = 0;          ///< how long choose_device() waited for its start
};

/// Chooses the device for `problem` and starts it. An explicit choice is never replaced. Blocks until it has started.
/// @param data_are_ordered as in SearchSize
/// @throws Error no_device, resources.
ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered);

/// The same for a search of this size, which takes so many bytes of a device's memory.
ChosenDevice choose_device(const SearchSize& size, double bytes, const SearchOptions& options);

/// The number of CUDA devices, whether or not they can be used. Starts none.
int cuda_device_count();

/// The device that a search will run on, as far as that is known before one starts.
struct ExpectedDevice {
  DeviceInfo device;
  std::string reason;  ///< as ChosenDevice::reason
};

/// What choose_device() takes for a search of this size. Asks the CUDA runtime whether a device that would be taken can
/// be used. Blocks. @param is_float64 whether a cloud is
/// @throws Error no_device: a CUDA device was asked for, and there is none.
ExpectedDevice expected_device(const SearchSize& size, bool is_float64, const SearchOptions& options);

/// The CUDA device that is chosen for all parts of a search.
struct DeviceForParts {
  DeviceChoice choice = {};
  std::string reason = {};  ///< as ChosenDevice::reason

  bool is_chosen() const { return choice.kind == DeviceKind::cuda; }
};

/// What choose_device() would take for a search of this size if it fitted any device's memory, where a choice is left
/// to it and it takes a CUDA device; otherwise none is chosen. Blocks until that has started.
DeviceForParts choose_cuda_for_parts(const SearchSize& size, const SearchOptions& options);

}  // namespace kann::detail
