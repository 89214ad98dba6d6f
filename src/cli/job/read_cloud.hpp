// Reads a cloud and measures the time; says whether two can be read at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "kann/io.hpp"

#include "cli/terminal/progress_text.hpp"

namespace kann::cli {

struct ReadCloud {
  Cloud cloud;
  double seconds = 0;  ///< time of reading
};

/// How many bytes of a file another thread has read so far.
class BytesRead {
 public:
  void set(std::uint64_t done, std::uint64_t total) { done_ = done, total_ = total; }
  Amount amount() const { return {static_cast<double>(done_), static_cast<double>(total_)}; }

 private:
  std::atomic<std::uint64_t> done_{0}, total_{0};
};

/// Calls read_points() and measures its time. Blocks; may be called on any thread.
ReadCloud read_cloud(const std::string& path, const ReadOptions& options);

/// Whether both are regular files and memory suffices for both. Pipes are read one after the other: their writer may
/// begin the second after the first, and an error in the first must not wait for the second.
bool can_read_concurrently(const std::string& first, const std::string& second);

}  // namespace kann::cli
