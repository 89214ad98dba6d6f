// The frame of a search: an origin and a power of two that bring both clouds to float32.
#pragma once

#include <array>
#include <string>

#include "geometry/box.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// A coordinate x of both clouds becomes (x − origin) · scale: in double, then rounded to float32.
struct Frame {
  std::array<double, 3> origin{};
  double scale = 1;
  double rounding = 0;  ///< maximum rounding of a coordinate of the core to float32, in units of the input

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

/// The frame of a search in `data`, most of which lies in `core`.
/// @throws Error bad_input when float32 cannot hold both the core and the farthest point; `data_name` is the name of
/// the data in that message.
Frame choose_frame(const Survey& data, const Survey& queries, const geometry::Box& core, const std::string& data_name,
                   int dimensions);

}  // namespace kann::problem
