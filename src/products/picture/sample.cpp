#include "products/picture/sample.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// The number of the point that is picked from a run.
std::int64_t Sampler::pick_of(std::int64_t run) const {
  const std::int64_t begin = points_ * run / runs_, end = points_ * (run + 1) / runs_;
  return begin +
         static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(run) + 1) % static_cast<std::uint64_t>(end - begin));
}

void Sampler::add(const PointsView& points, const PointColors& colors) {
  const std::int64_t n = points.size();
  const auto put = [&](std::int64_t i, Sample& sample) {
    std::array<double, 3> p{};
    for (int a = 0; a < points.dimensions; ++a) p[a] = points.at(i, a);
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]) || !colors.has_color(i)) return;
    sample.points.push_back(p);
    if (colors.values) sample.values.push_back(colors.values[i]);
  };
  for (; run_ < runs_; ++run_) {
    const std::int64_t pick = pick_of(run_) - added_;
    if (pick >= n) break;
    put(pick, picks_);
  }
  if (is_sparse())
    for (std::int64_t i = 0; i < n && std::ssize(first_.points) < k_sample_size; ++i) put(i, first_);
  added_ += n;
}

Sample Sampler::finish() {
  if (is_sparse()) return std::move(first_);
  if (runs_ > 0) picks_.stands_for = static_cast<double>(points_) / static_cast<double>(runs_);
  return std::move(picks_);
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
