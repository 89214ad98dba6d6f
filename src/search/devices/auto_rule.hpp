// Which device DeviceKind::automatic takes: a rule made from times that were measured.
#pragma once

#include <cstdint>
#include <string>

#include "kann/search.hpp"

namespace kann::detail {

/// The size of a search, exact or roughly.
struct SearchSize {
  std::int64_t data_points = 0, query_points = 0;
  int dimensions = 3;
  bool is_self = false;           ///< the queries are the data
  bool data_are_ordered = false;  ///< an index has searched these data before
  bool finds_clusters = false;    ///< kann::cluster() of the data, without queries
};

/// Seconds that the CPU takes for the search, roughly, with so many threads.
double cpu_seconds(const SearchSize& size, std::int64_t k, double threads);

/// The same with the k and the threads of the options, of which those count that the system grants.
double cpu_seconds(const SearchSize& size, const SearchOptions& options);

/// The CPU's seconds from which on CUDA device `index` is taken, as cuda::seconds_worth() says.
double seconds_worth_cuda(int index);

/// What DeviceKind::automatic takes where there is a CUDA device.
struct AutoChoice {
  DeviceKind kind;
  std::string reason;
};

AutoChoice auto_choice(const SearchSize& size, const SearchOptions& options);

}  // namespace kann::detail
