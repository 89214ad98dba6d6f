#include "flow/routes/curve_sections.hpp"

#include <algorithm>

#include "problem/survey.hpp"

namespace kann::flow {
namespace {

/// Points of the sample of a rank that has so many points.
std::int64_t sample_size(std::int64_t points, int ranks) {
  constexpr std::int64_t least = 1 << 12, most_of_all = 1 << 18;
  return std::clamp(points / 16, least, std::max(least, most_of_all / ranks));
}

}  // namespace

CurveSections::CurveSections(const Curve& curve, const std::vector<double>& sample, int dimensions,
                             std::int64_t count) {
  std::vector<std::uint64_t> positions;
  const auto d = static_cast<std::size_t>(dimensions);
  for (std::size_t i = 0; i + d <= sample.size(); i += d) {
    Coordinates point{};
    std::copy_n(sample.begin() + static_cast<std::ptrdiff_t>(i), d, point.begin());
    positions.push_back(curve.position(point));
  }
  std::ranges::sort(positions);
  for (std::int64_t section = 1; section < count && !positions.empty(); ++section) {
    const std::uint64_t begin =
        positions[positions.size() * static_cast<std::size_t>(section) / static_cast<std::size_t>(count)];
    if (begin > first_.back()) first_.push_back(begin);
  }
}

CurveSampler::CurveSampler(std::int64_t begin, std::int64_t end, int ranks)
    : step_((end - begin) / sample_size(end - begin, ranks) + 1), due_((begin + step_ - 1) / step_ * step_) {}

double CurveSampler::bytes(double points, int dimensions, int ranks) {
  const auto sample = static_cast<double>(sample_size(static_cast<std::int64_t>(points), ranks));
  return sample * (1 + 2 * ranks) * dimensions * sizeof(double);
}

void CurveSampler::add(std::int64_t row, const PointsView& points) {
  while (due_ < row + points.size()) {
    const std::int64_t i = std::max(due_ - row, std::int64_t{0});
    if (!points.is_finite(i)) {
      ++due_;
      continue;
    }
    for (int a = 0; a < points.dimensions; ++a) sample_.push_back(points.at(i, a));
    due_ = due_ / step_ * step_ + step_;
  }
}

}  // namespace kann::flow
