// Data points that are on the device before a search begins.
#pragma once

namespace kann::cuda {

struct ResidentPoints {
  const float* d_points = nullptr;  ///< row-major, in the frame
  const double* d_given = nullptr;  ///< the same as they were given, if the problem is rounded
};

}  // namespace kann::cuda
