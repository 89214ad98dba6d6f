// The frame of a search: an origin and a power of two, chosen from the data alone, that bring both clouds to float32.
#pragma once

#include <array>
#include <vector>

#include "geometry/box.hpp"
#include "geometry/frame.hpp"
#include "geometry/grid.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// geometry::to_frame() brings the coordinates of both clouds into it.
struct Frame {
  std::array<double, 3> origin{};
  double scale = 1;

  bool is_identity() const { return origin == std::array<double, 3>{} && scale == 1; }
  float apply(double x, int axis) const { return geometry::to_frame(x, origin[axis], scale); }
  geometry::Box apply(const geometry::Box& box, int dimensions) const {
    geometry::Box out;
    for (int a = 0; a < dimensions; ++a) {
      out.lo[a] = apply(box.lo[a], a);
      out.hi[a] = apply(box.hi[a], a);
    }
    return out;
  }
};

/// The frame of a search in `data`, most of which lies in `core`.
Frame choose_frame(const Survey& data, const geometry::Box& core, int dimensions);

/// A frame, and the grid over the data in that frame.
struct FrameGrid {
  Frame frame;
  geometry::Grid grid;
};

/// The frame and the grid of a search in `data`. @param sample row-major coordinates, as given, of the valid points at
/// geometry::sample_row()
FrameGrid choose_frame_grid(const Survey& data, const std::vector<double>& sample, int dimensions);

}  // namespace kann::problem
