// When the CUDA device of a run is started: while files are read, or not at all.
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
  double repeats = 1;         ///< each size stands for so many searches
  double seconds_before = 0;  ///< of reading, before the first search
};

/// The search of one job, from the heads of its files. No sizes if they do not say enough. Blocks.
ExpectedSearches expected_search(const Options& options);

/// A device that is asked for starts at once; with DeviceKind::automatic, when the searches are expected to end first
/// on it. Where that was not expected, or nothing was known, it starts when the CPU has lost as many seconds as the
/// start takes: what comes is not known, but it then has cost about twice the best at worst. Starts in the background.
/// Functions may be called by several threads.
class DeviceStart {
 public:
  explicit DeviceStart(const SearchOptions& options);

  void expect(const ExpectedSearches& searches);

  /// Counts a search that has ended, by whichever device.
  void count(const SearchReport& search);

  /// The start, if it has begun.
  StartUp start_up() const;

 private:
  void start();

  const SearchOptions options_;
  mutable std::mutex mutex_;
  StartUp start_up_;
  double lost_seconds_ = 0;  ///< by searching on the CPU
};

}  // namespace kann::cli
