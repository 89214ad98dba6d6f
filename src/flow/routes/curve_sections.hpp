// The division of the Hilbert curve into sections with about as many points each, by a sample of the points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kann/points.hpp"

#include "flow/routes/curve.hpp"

namespace kann::flow {

class CurveSections {
 public:
  /// Equal slices of a section, whose boxes say which queries reach it. Visits of other ranks per query, 64 ranks,
  /// 2·10⁶ points of a surface: .15 with 16 slices, .08 with 128.
  static constexpr std::uint32_t k_slices = 64;

  CurveSections() = default;

  /// `count` sections, or fewer where many points share a place. @param sample as for Curve
  CurveSections(const Curve& curve, const std::vector<double>& sample, int dimensions, std::int64_t count);

  std::size_t size() const { return first_.size(); }

  /// The number of the slice that a position is in, among those of all sections in their order.
  std::uint32_t slice_of(std::uint64_t position) const {
    constexpr std::uint64_t curve_end = std::uint64_t{1} << 60;
    const auto section = static_cast<std::size_t>(std::ranges::upper_bound(first_, position) - first_.begin()) - 1;
    const std::uint64_t begin = first_[section], end = section + 1 < first_.size() ? first_[section + 1] : curve_end;
    const std::uint64_t length = (end - begin) / k_slices + 1;
    const auto slice = static_cast<std::uint32_t>(std::min<std::uint64_t>((position - begin) / length, k_slices - 1));
    return static_cast<std::uint32_t>(section) * k_slices + slice;
  }

  /// The section that a slice belongs to.
  static std::uint32_t section_of(std::uint32_t slice) { return slice / k_slices; }

 private:
  std::vector<std::uint64_t> first_ = {0};  // positions of the sections, ascending
};

/// Takes points from all over a rank's share of a cloud, by their numbers: about one of 16, but not more than are of
/// use.
class CurveSampler {
 public:
  /// @param begin, end the numbers of the share's points
  CurveSampler(std::int64_t begin, std::int64_t end, int ranks);

  /// Bytes of memory where a rank has so many points: the sample as it grows, and those of all ranks as they arrive and
  /// put together.
  static double bytes(double points, int dimensions, int ranks);

  /// The next points, the first of which has number `row`.
  void add(std::int64_t row, const PointsView& points);

  /// Row-major coordinates of finite points, one of each of equal steps.
  const std::vector<double>& sample() const { return sample_; }

 private:
  const std::int64_t step_;
  std::int64_t due_;  // the next finite point from this number on is taken
  std::vector<double> sample_;
};

}  // namespace kann::flow
