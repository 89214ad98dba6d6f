#include "picture/sample.hpp"

#include <algorithm>
#include <cmath>

namespace kann::picture {
namespace {

/// A hash function (Steele et al. 2014, "Fast splittable pseudorandom number generators", SplitMix64's output
/// function).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

Sample take_sample(const PointsView& points, const PointColors& colors) {
  const std::int64_t n = points.size(), runs = std::min(n, k_sample_size);
  Sample sample;
  const auto add = [&](std::int64_t i) {
    std::array<double, 3> p{};
    for (int a = 0; a < points.dimensions; ++a) p[a] = points.at(i, a);
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]) || !colors.has_color(i)) return;
    sample.points.push_back(p);
    if (colors.values) sample.values.push_back(colors.values[i]);
  };
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t begin = n * run / runs, end = n * (run + 1) / runs;  // n < 2³²
    add(begin +
        static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(run) + 1) % static_cast<std::uint64_t>(end - begin)));
  }
  if (runs < n && static_cast<std::int64_t>(sample.points.size()) < runs / 64) {
    sample = {};
    for (std::int64_t i = 0; i < n && static_cast<std::int64_t>(sample.points.size()) < k_sample_size; ++i) add(i);
  } else if (runs > 0) {
    sample.stands_for = static_cast<double>(n) / static_cast<double>(runs);
  }
  return sample;
}

template <class T>
T quantile(std::vector<T>& values, double part) {
  const auto place = values.begin() + static_cast<std::int64_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}
template float quantile(std::vector<float>&, double);
template double quantile(std::vector<double>&, double);

}  // namespace kann::picture
