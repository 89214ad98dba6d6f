// Decides when the CUDA device of a run is started: while files are read, later, or not at all.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

using StartUp = std::shared_future<std::shared_ptr<const StartedDevice>>;

/// The searches of a run, as far as they are known before its files are read.
struct ExpectedSearches {
  std::vector<SearchSize> sizes;
  double repeats = 1;         ///< the number of searches that each size stands for
  double seconds_before = 0;  ///< reading time before the first search
};

/// The search of one job, estimated from the heads of its files. No sizes if these do not say enough. Blocks.
ExpectedSearches expected_search(const Options& options);

/// Starts the device in the background. A device that was asked for starts at once; with DeviceKind::automatic, it
/// starts at once if the searches are expected to end first on it. If that was not expected, or nothing was known, it
/// starts when searching on the CPU has lost as many seconds as the start takes: whatever searches follow, the time
/// lost is then at most about twice the minimum. Functions may be called by several threads.
class DeviceStart {
 public:
  explicit DeviceStart(const SearchOptions& options);

  void expect(const ExpectedSearches& searches);

  /// Counts a search that has ended, on either device.
  void count(const SearchReport& search);

  /// The start, if it has begun.
  StartUp start_up() const;

 private:
  void start();

  const SearchOptions options_;
  mutable std::mutex mutex_;
  StartUp start_up_;
  double lost_seconds_ = 0;  ///< seconds lost by searching on the CPU
};

}  // namespace kann::cli
