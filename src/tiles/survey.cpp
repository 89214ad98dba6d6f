#include "tiles/survey.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/shares.hpp"
#include "tiles/tile_boxes.hpp"

namespace kann::tiles {
namespace {

constexpr std::int64_t k_block = 1 << 16;

/// Points of the sample of all ranks, and of one rank of many.
constexpr int k_sample = 1 << 18, k_least_sample = 1 << 12;

/// Points at an even stride, which doubles when there are too many.
class Sample {
 public:
  /// @param most an even number
  Sample(int dimensions, std::size_t most) : dimensions_(static_cast<std::size_t>(dimensions)), most_(most) {}

  void add(const Coordinates& point) {
    if (seen_++ % stride_ != 0) return;
    values_.insert(values_.end(), point.begin(), point.begin() + static_cast<std::ptrdiff_t>(dimensions_));
    if (values_.size() / dimensions_ < most_) return;
    for (std::size_t i = 0; 2 * i < most_; ++i)
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(2 * i * dimensions_), dimensions_,
                  values_.begin() + static_cast<std::ptrdiff_t>(i * dimensions_));
    values_.resize(most_ / 2 * dimensions_);
    stride_ *= 2;
  }

  std::vector<double> take() { return std::move(values_); }

 private:
  std::size_t dimensions_, most_;
  std::uint64_t seen_ = 0, stride_ = 1;
  std::vector<double> values_;
};

/// What a rank has found.
struct Share {
  TileBox box;
  std::int64_t valid = 0, invalid = 0, first_invalid = -1;
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

CloudSurvey survey(const PointSource& cloud, comm::Communicator& ranks) {
  Share own;
  Sample sample(cloud.dimensions(),
                static_cast<std::size_t>(std::max(k_sample / ranks.size() / 2 * 2, k_least_sample)));
  Coordinates point;
  const std::int64_t begin = comm::share_begin(cloud.size(), ranks.size(), ranks.rank());
  const std::int64_t end = comm::share_begin(cloud.size(), ranks.size(), ranks.rank() + 1);
  cloud.for_each_block(begin, end, k_block, [&](std::int64_t row, const PointsView& points) {
    for (std::int64_t i = 0; i < points.size(); ++i) {
      if (!finite_point(points, i, point)) {
        if (own.invalid++ == 0) own.first_invalid = row + i;
        continue;
      }
      ++own.valid;
      own.box.add(point);
      sample.add(point);
    }
  });

  CloudSurvey found;
  TileBox box;
  for (const Share& share : ranks.gather_value(own)) {
    box.add(share.box);
    found.valid += share.valid;
    found.invalid += share.invalid;
    if (found.first_invalid < 0) found.first_invalid = share.first_invalid;
  }
  if (found.valid > 0) found.box = {box.low, box.high};
  found.sample = ranks.gather_values(sample.take());
  return found;
}

Runs divide(const CloudSurvey& data, const Curve& curve, int dimensions, std::int64_t run_points) {
  std::vector<std::uint64_t> positions;
  const auto d = static_cast<std::size_t>(dimensions);
  for (std::size_t i = 0; i + d <= data.sample.size(); i += d) {
    Coordinates point{};
    std::copy_n(data.sample.begin() + static_cast<std::ptrdiff_t>(i), d, point.begin());
    positions.push_back(curve.position(point));
  }
  std::ranges::sort(positions);
  const std::int64_t runs = std::max<std::int64_t>(1, (data.valid + run_points - 1) / run_points);
  std::vector<std::uint64_t> first = {0};
  for (std::int64_t r = 1; r < runs && !positions.empty(); ++r) {
    const std::uint64_t begin =
        positions[positions.size() * static_cast<std::size_t>(r) / static_cast<std::size_t>(runs)];
    if (begin > first.back()) first.push_back(begin);
  }
  return Runs(std::move(first));
}

}  // namespace kann::tiles
