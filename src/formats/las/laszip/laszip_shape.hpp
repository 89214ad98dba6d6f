// Which records the library LASzip is to read or to write.
#pragma once

#include <cstddef>

namespace kann::formats {

struct LaszipShape {
  int format = 0;  ///< of the points, 0 to 10
  std::size_t record_bytes = 0;
};

}  // namespace kann::formats
