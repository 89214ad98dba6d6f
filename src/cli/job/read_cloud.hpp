// Reads a cloud and measures the time; says whether two can be read at the same time.
#pragma once

#include <string>

#include "kann/io.hpp"

namespace kann::cli {

struct ReadCloud {
  Cloud cloud;
  double seconds = 0;  ///< of reading
};

/// As read_points(). Blocks; may be called from any thread.
ReadCloud read_cloud(const std::string& path, const ReadOptions& options);

/// Whether both are regular files and memory suffices for both. Pipes are read one after the other: their writer may
/// begin the second after the first, and an error in the first must not wait for the second.
bool can_read_concurrently(const std::string& first, const std::string& second);

}  // namespace kann::cli
