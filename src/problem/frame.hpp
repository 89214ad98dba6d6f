// The numbers in which a search is done: an origin and a power of two that bring both clouds to float32.
#pragma once

#include <array>
#include <string>

#include "geometry/box.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// What is subtracted from every coordinate of both clouds, in double, and what the rest is multiplied by.
struct Frame {
  std::array<double, 3> origin{};
  double scale = 1;
  double rounding = 0;  ///< by how much float32 may move a coordinate of the core, in units of the input

  bool is_identity() const { return origin == std::array<double, 3>{} && scale == 1; }
  float apply(double x, int axis) const { return static_cast<float>((x - origin[axis]) * scale); }
  geometry::Box apply(const geometry::Box& box, int dimensions) const {
    geometry::Box out;
    for (int a = 0; a < dimensions; ++a) {
      out.lo[a] = apply(box.lo[a], a);
      out.hi[a] = apply(box.hi[a], a);
    }
    return out;
  }
};

/// The frame of a search in `data`, most of which lie in `core`.
/// @throws Error bad_input when float32 cannot hold both the core and the farthest point; `data_name` is whose fault.
Frame choose_frame(const Survey& data, const Survey& queries, const geometry::Box& core, const std::string& data_name,
                   int dimensions);

}  // namespace kann::problem
