// Decides when the CUDA device of a run is started: while files are read, later, or not at all.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <optional>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "cli/options/options.hpp"
#include "search/devices/auto_rule.hpp"

namespace kann::cli {

using StartUp = std::shared_future<std::shared_ptr<const StartedDevice>>;

/// The search of one job, estimated from the heads of its files; none if these do not say enough. Blocks.
std::optional<detail::SearchSize> expected_search(const Options& options);

/// Starts the device in the background. A device that was asked for starts at once; with DeviceKind::automatic, it
/// starts at once if the searches of the run are expected to take the CPU longer than CUDA takes to start and end. If
/// that was not expected, or nothing was known, it starts when the CPU has searched for as long: whatever searches
/// follow, the time lost is then at most about twice the minimum. Functions may be called by several threads.
class DeviceStart {
 public:
  explicit DeviceStart(const SearchOptions& options);

  /// @param cpu_seconds what all searches of the run take on the CPU
  void expect(double cpu_seconds);

  /// Counts a search that has ended, on either device.
  void count(const SearchReport& search);

  /// The start, if it has begun.
  StartUp start_up() const;

 private:
  void start();
  bool is_worth(double cpu_seconds) const;

  const SearchOptions options_;
  mutable std::mutex mutex_;
  StartUp start_up_;
  double cpu_seconds_ = 0;  ///< of the searches that have ended
};

}  // namespace kann::cli
