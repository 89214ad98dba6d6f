#include "tiles/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kann::tiles {
namespace {

constexpr std::int64_t k_block = 1 << 16;

/// Points at an even stride, which doubles when there are too many.
class Sample {
 public:
  explicit Sample(int dimensions) : dimensions_(static_cast<std::size_t>(dimensions)) {}

  void add(const Coordinates& point) {
    if (seen_++ % stride_ != 0) return;
    values_.insert(values_.end(), point.begin(), point.begin() + static_cast<std::ptrdiff_t>(dimensions_));
    if (values_.size() / dimensions_ < k_most) return;
    for (std::size_t i = 0; 2 * i < k_most; ++i)
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(2 * i * dimensions_), dimensions_,
                  values_.begin() + static_cast<std::ptrdiff_t>(i * dimensions_));
    values_.resize(k_most / 2 * dimensions_);
    stride_ *= 2;
  }

  std::vector<double> take() { return std::move(values_); }

 private:
  static constexpr std::size_t k_most = 1 << 18;
  std::size_t dimensions_;
  std::uint64_t seen_ = 0, stride_ = 1;
  std::vector<double> values_;
};

}  // namespace

bool finite_point(const PointsView& points, std::int64_t i, Coordinates& out) {
  out = {};
  bool is_finite = true;
  for (int a = 0; a < points.dimensions; ++a) {
    out[static_cast<std::size_t>(a)] = points.at(i, a);
    is_finite &= std::isfinite(out[static_cast<std::size_t>(a)]);
  }
  return is_finite;
}

CloudSurvey survey(const PointSource& cloud) {
  CloudSurvey found;
  Sample sample(cloud.dimensions());
  Coordinates low, high, point;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  cloud.for_each_block(k_block, [&](std::int64_t row, const PointsView& points) {
    for (std::int64_t i = 0; i < points.size(); ++i) {
      if (!finite_point(points, i, point)) {
        if (found.invalid++ == 0) found.first_invalid = row + i;
        continue;
      }
      ++found.valid;
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], point[a]);
        high[a] = std::max(high[a], point[a]);
      }
      sample.add(point);
    }
  });
  if (found.valid > 0) found.box = {low, high};
  found.sample = sample.take();
  return found;
}

TileMap divide(const CloudSurvey& data, const Curve& curve, int dimensions, std::int64_t tile_points) {
  std::vector<std::uint64_t> positions;
  const auto d = static_cast<std::size_t>(dimensions);
  for (std::size_t i = 0; i + d <= data.sample.size(); i += d) {
    Coordinates point{};
    std::copy_n(data.sample.begin() + static_cast<std::ptrdiff_t>(i), d, point.begin());
    positions.push_back(curve.position(point));
  }
  std::ranges::sort(positions);
  const std::int64_t tiles = std::max<std::int64_t>(1, (data.valid + tile_points - 1) / tile_points);
  std::vector<std::uint64_t> first = {0};
  for (std::int64_t t = 1; t < tiles && !positions.empty(); ++t) {
    const std::uint64_t begin =
        positions[positions.size() * static_cast<std::size_t>(t) / static_cast<std::size_t>(tiles)];
    if (begin > first.back()) first.push_back(begin);
  }
  return TileMap(dimensions, std::move(first));
}

}  // namespace kann::tiles
