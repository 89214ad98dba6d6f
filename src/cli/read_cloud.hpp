// A cloud from its file, timed, and whether two may be read at the same time.
#pragma once

#include <optional>
#include <string>

#include "kann/io.hpp"

namespace kann::cli {

struct ReadCloud {
  Cloud cloud;
  double seconds = 0;  ///< what reading it took
};

/// As read_points(). Blocks; from any thread.
ReadCloud read_cloud(const std::string& path, std::optional<PointFormat> format);

/// Whether both are regular files that memory holds at once with room to spare. A pipe may be fed by one who writes the
/// second after the first, and a message about the first is not to wait for the second.
bool may_be_read_together(const std::string& first, const std::string& second);

}  // namespace kann::cli
