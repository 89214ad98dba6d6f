#include "search/periodic/wrapped_cloud.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <type_traits>
#include <variant>

#include "base/host_memory.hpp"
#include "base/parallel.hpp"

namespace kann::detail {
namespace {

constexpr std::int64_t k_grain = 1 << 16;  ///< points at a time

bool is_wrapped(const PointsView& points, const PeriodicBox& box, int threads) {
  const int d = points.dimensions;
  std::atomic<bool> all{true};
  std::visit(
      [&](const auto& c) {
        base::parallel_chunks(points.size(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
          bool are = all;
          for (std::int64_t i = begin; i < end && are; ++i)
            for (int a = 0; a < d; ++a) are &= box.is_wrapped(static_cast<double>(c[i * d + a]), a);
          if (!are) all = false;
        });
      },
      points.coordinates);
  return all;
}

/// Float32s stay so in a box of float32 sides: what is wrapped has no bit below the lowest of both.
bool stays_float32(const PointsView& points, const PeriodicBox& box) {
  if (!std::holds_alternative<std::span<const float>>(points.coordinates)) return false;
  for (int a = 0; a < box.dimensions(); ++a)
    if (static_cast<double>(static_cast<float>(box.side(a))) != box.side(a)) return false;
  return true;
}

template <class Real>
Array<Real> wrapped(const PointsView& points, const PeriodicBox& box, int threads) {
  const int d = points.dimensions;
  base::check_host_memory(static_cast<double>(points.size()) * d * sizeof(Real), "the cloud in the periodic box");
  Array<Real> out(static_cast<std::size_t>(points.size() * d));
  std::visit(
      [&](const auto& c) {
        base::parallel_chunks(points.size(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            for (int a = 0; a < d; ++a)
              out[i * d + a] = static_cast<Real>(box.wrap(static_cast<double>(c[i * d + a]), a));
        });
      },
      points.coordinates);
  return out;
}

}  // namespace

WrappedCloud::WrappedCloud(const PointsView& given, const PeriodicBox& box, int threads)
    : points_(given), is_given_(is_wrapped(given, box, threads)) {
  if (is_given_) return;
  moved_.dimensions = given.dimensions;
  if (stays_float32(given, box))
    moved_.coordinates = wrapped<float>(given, box, threads);
  else
    moved_.coordinates = wrapped<double>(given, box, threads);
  points_ = moved_;
}

}  // namespace kann::detail
