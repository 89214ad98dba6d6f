// Starts the CUDA device of a search, before the search or when the search needs it.
#pragma once

#include <memory>

#include "kann/search.hpp"

#include "cuda/backend.hpp"

namespace kann {

/// A CUDA device that was started, or the reason why it cannot be used.
struct StartedDevice {
  int index = 0;
  CudaStatus status;
  double seconds = 0;  ///< how long starting took
};

namespace detail {

/// The CUDA device of the options, started: that of `options.start_up`, or else it is started now. Blocks.
std::shared_ptr<const StartedDevice> started_device(const SearchOptions& options);

/// Whether a call of started_device() would wait for `options.start_up`.
bool is_starting(const SearchOptions& options);

/// Allocates `queries` rows of `k` neighbours, and touches their pages by touch_pages(). Blocks.
/// @throws std::bad_alloc.
Neighbors prefault_result(std::int64_t queries, std::int64_t k, int threads);

}  // namespace detail

}  // namespace kann
