// Starting the device of a search, ahead of it or when it needs it.
#pragma once

#include <memory>

#include "kann/search.hpp"

#include "cuda/backend.hpp"

namespace kann {

struct StartedDevice {
  int index = 0;
  CudaStatus status;
  std::shared_ptr<cuda::Staging> staging;  ///< null where the search is to make its own, if it needs them
  double seconds = 0;                      ///< what starting took
};

namespace detail {

/// The device of these options, started: the one that was started ahead, or one started now. Blocks.
std::shared_ptr<const StartedDevice> started_device(const SearchOptions& options);

/// Whether started_device() would have to wait.
bool is_starting(const SearchOptions& options);

/// Arrays for `queries` rows of `k` neighbours, their pages already there: 537 MB are copied to such pages in 0.07 s on
/// one thread, to fresh huge pages in 0.13 s and to fresh small ones in 0.28 s. Blocks.
/// @throws std::bad_alloc.
Neighbors prefault_result(std::int64_t queries, std::int64_t k);

}  // namespace detail

}  // namespace kann
