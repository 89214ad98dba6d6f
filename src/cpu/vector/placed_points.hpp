// Points in an order of their own, axis by axis, as vectors read them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kann/array.hpp"

#include "base/resize_fresh.hpp"

namespace kann::cpu {

/// The number of points per bucket of the exact search, of boxes per group, and of float lanes in the widest vector.
inline constexpr std::int64_t k_group = 16;

/// `count` points. The arrays hold k_group more values, so that vectors may read past the last point; float32
/// coordinates there are NaNs, which are near nothing, and the other values mean nothing.
template <int D, class Real = float>
struct PlacedView {
  std::int64_t count = 0;
  std::array<const Real*, D> axes{};
  const std::uint32_t* ids = nullptr;
};

/// The arrays themselves. Their owner defines what an id is.
template <int D>
struct Placed {
  std::int64_t count = 0;
  std::array<Array<float>, D> axes;
  Array<std::uint32_t> ids;

  void resize(std::int64_t n) {
    count = n;
    for (auto& axis : axes) {
      base::resize_fresh(axis, n + k_group);
      std::fill(axis.end() - k_group, axis.end(), std::numeric_limits<float>::quiet_NaN());
    }
    base::resize_fresh(ids, n + k_group);
    std::fill(ids.end() - k_group, ids.end(), 0u);
  }

  PlacedView<D> view() const {
    PlacedView<D> v{count, {}, ids.data()};
    for (int a = 0; a < D; ++a) v.axes[a] = axes[a].data();
    return v;
  }

  static constexpr double bytes_per_point = 4.0 * D + 4;
};

/// The coordinates of placed points as they were given, where float32 does not hold them.
template <int D>
struct PlacedDoubles {
  std::array<Array<double>, D> axes;

  void resize(std::int64_t n) {
    for (auto& axis : axes) {
      base::resize_fresh(axis, n + k_group);
      std::fill(axis.end() - k_group, axis.end(), 0.0);
    }
  }

  /// A view with the count and the ids of `points`, the same points in float32.
  PlacedView<D, double> view(const Placed<D>& points) const {
    PlacedView<D, double> v{points.count, {}, points.ids.data()};
    for (int a = 0; a < D; ++a) v.axes[a] = axes[a].data();
    return v;
  }

  static constexpr double bytes_per_point = 8.0 * D;
};

}  // namespace kann::cpu
