// A cloud as a file.
#pragma once

#include <string>

#include "clouds.hpp"

namespace kann::test {

/// Binary PLY of 3-D points.
inline std::string binary_ply(const Coordinates& c) {
  std::string file = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(c.size() / 3) +
                     "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  return file.append(reinterpret_cast<const char*>(c.data()), c.size() * sizeof(float));
}

}  // namespace kann::test
