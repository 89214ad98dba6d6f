// A sample of a cloud, from which a picture's frame and colours are chosen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kann/points.hpp"

#include "products/picture/cloud.hpp"

namespace kann::picture {

struct Sample {
  std::vector<std::array<double, 3>> points;  ///< z is 0 in 2-D
  std::vector<float> values;                  ///< the value of each point, if colours come from values
  double stands_for = 1;                      ///< how many points of the cloud each point stands for
};

inline constexpr std::int64_t k_sample_size = std::int64_t{1} << 16;

/// Divides the cloud into up to 2¹⁶ runs of equal length and takes one point of each, at a place that looks random:
/// scans are regular, and a fixed stride would take whole columns of them. Points that cannot be drawn are left out. If
/// less than 1/64 of these points can be drawn, the sample is instead the first 2¹⁶ points that can. The cloud comes in
/// blocks, and has `points` points, fewer than 2⁴⁷.
class Sampler {
 public:
  explicit Sampler(std::int64_t points) : points_(points), runs_(std::min(points, k_sample_size)) {}

  /// Takes the next block.
  void add(const PointsView& points, const PointColors& colors);

  /// The sample, after all blocks.
  Sample finish();

 private:
  std::int64_t pick_of(std::int64_t run) const;
  /// Whether the first points that can be drawn may be needed, after the picks so far.
  bool is_sparse() const { return runs_ < points_ && std::ssize(picks_.points) < runs_ / 64; }

  std::int64_t points_, runs_, run_ = 0, added_ = 0;  // run_: the first run whose pick has not come yet
  Sample picks_, first_;
};

/// The value below which `part` (0 to 1) of the values are, by nearest rank. Reorders the values; there must be at
/// least one.
template <class T>
T quantile(std::vector<T>& values, double part);

}  // namespace kann::picture
