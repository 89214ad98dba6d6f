// How long a search takes on either device, by a model whose constants were measured.
#pragma once

#include <cstdint>

#include "kann/search.hpp"

namespace kann::detail {

/// The properties of a search that its time depends on.
struct SearchWork {
  std::int64_t data_points = 0;  ///< to be put in order; 0 if an index has the orders
  std::int64_t query_points = 0;
  std::int64_t k = 0;
  bool is_self = false;
};

/// Seconds that the search takes on `threads` CPU threads.
double cpu_search_seconds(const SearchWork& work, double threads);

/// Seconds of the search by a CUDA device that has started, from points in host memory to results in host memory.
double cuda_search_seconds(const SearchWork& work);

/// Seconds that the clusters of so many points take on `threads` CPU threads, and on a CUDA device that has started.
double cpu_cluster_seconds(std::int64_t points, double threads);
double cuda_cluster_seconds(std::int64_t points, double threads);

/// What the CUDA device costs a process that has not used it yet: its start, and its end, for which the driver makes
/// the process wait.
inline constexpr double k_cuda_start_seconds = 0.24, k_cuda_end_seconds = 0.1;

}  // namespace kann::detail
