#include "search/periodic/placed_cloud.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <variant>

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"

namespace kann::detail {
namespace {

constexpr std::int64_t k_grain = 1 << 16;  ///< points per piece of work

bool are_kept(const PointsView& points, const Places& places, int threads) {
  std::atomic<bool> all{true};
  base::parallel_chunks(points.size(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    bool are = all;
    for (std::int64_t i = begin; i < end && are; ++i) are = places.keeps(position_of(points, i));
    if (!are) all = false;
  });
  return all;
}

bool is_float32(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

/// Whether the moved coordinates are float32 again. The remainder of a float32 by a float32 side is one: it has no bit
/// below the lowest bit of both.
bool stays_float32(const PointsView& points, const Places& places) {
  if (places.slanted || !std::holds_alternative<std::span<const float>>(points.coordinates)) return false;
  return std::ranges::all_of(
      places.axes, [](const AxisPlace& p) { return p.middle == 0 && is_float32(p.side) && is_float32(p.lower_face); });
}

template <class Real>
Array<Real> moved(const PointsView& points, const Places& places, int threads) {
  const int d = points.dimensions;
  base::check_host_memory(static_cast<double>(points.size()) * d * sizeof(Real), "the cloud in the periodic box");
  Array<Real> out(static_cast<std::size_t>(points.size() * d));
  base::parallel_chunks(points.size(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Position at = places(position_of(points, i));
      for (int a = 0; a < d; ++a) out[i * d + a] = static_cast<Real>(at[static_cast<std::size_t>(a)]);
    }
  });
  return out;
}

}  // namespace

PlacedCloud::PlacedCloud(const PointsView& given, const Places& places, int threads)
    : points_(given), is_given_(are_kept(given, places, threads)) {
  if (is_given_) return;
  moved_.dimensions = given.dimensions;
  if (stays_float32(given, places))
    moved_.coordinates = moved<float>(given, places, threads);
  else
    moved_.coordinates = moved<double>(given, places, threads);
  points_ = moved_;
}

}  // namespace kann::detail
