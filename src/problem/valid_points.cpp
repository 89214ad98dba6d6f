#include "problem/valid_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <variant>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::problem {
namespace {

constexpr std::int64_t k_max_points = std::numeric_limits<std::int32_t>::max();

/// Calls f(coordinates, i, row) for every valid point: the row-major coordinates of the cloud, the point's number i
/// among the valid ones, and its row.
template <class F>
void for_each_valid(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, int threads, F&& f) {
  std::visit(
      [&](const auto& c) {
        base::parallel_for(count, threads, [&](std::int64_t i) { f(c.data(), i, rows.empty() ? i : rows[i]); });
      },
      points.coordinates);
}

}  // namespace

void check_count(const PointsView& points, const std::string& name) {
  if (points.dimensions != 2 && points.dimensions != 3)
    throw Error(ErrorKind::bad_input,
                name + ": points have " + std::to_string(points.dimensions) + " coordinates (need 2 or 3)");
  if (points.size() > k_max_points)
    throw Error(ErrorKind::usage, name + ": too many points (got " + std::to_string(points.size()) +
                                      ", this version takes " + std::to_string(k_max_points) + ")");
}

Survey checked_survey(const PointsView& points, const std::string& name, InvalidPoints invalid, int threads) {
  const Survey s = survey(points, threads);
  if (invalid == InvalidPoints::error) refuse_invalid(s, name);
  return s;
}

void refuse_invalid(const Survey& s, const std::string& name) {
  if (s.invalid > s.left_out)
    throw Error(ErrorKind::bad_input,
                name + ": " + std::to_string(s.invalid - s.left_out) + " of " + std::to_string(s.valid + s.invalid) +
                    " points have NaN or infinite coordinates (first: " + std::to_string(s.first_invalid) +
                    "); use --invalid skip");
}

Array<std::int32_t> valid_rows(const PointsView& points, const Survey& s) {
  Array<std::int32_t> rows;
  if (s.invalid == 0) return rows;
  rows.reserve(static_cast<std::size_t>(s.valid));
  std::visit(
      [&](const auto& c) {
        for (std::int64_t i = 0; i < points.size(); ++i) {
          const auto* const p = c.data() + i * points.dimensions;
          if (std::all_of(p, p + points.dimensions, [](auto x) { return std::isfinite(x); }))
            rows.push_back(static_cast<std::int32_t>(i));
        }
      },
      points.coordinates);
  rows.resize(static_cast<std::size_t>(s.valid), 0);  // where points have changed since the survey, they may be others
  return rows;
}

const float* to_frame(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, const Frame& frame,
                      int threads, Array<float>& storage) {
  if (const auto* floats = std::get_if<std::span<const float>>(&points.coordinates);
      floats && frame.is_identity() && rows.empty())
    return floats->data();

  const int d = points.dimensions;
  storage.resize(static_cast<std::size_t>(count * d));
  for_each_valid(points, rows, count, threads, [&](const auto* c, std::int64_t i, std::int64_t row) {
    for (int a = 0; a < d; ++a) storage[i * d + a] = frame.apply(static_cast<double>(c[row * d + a]), a);
  });
  return storage.data();
}

const double* to_float64(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, int threads,
                         Array<double>& storage) {
  if (const auto* doubles = std::get_if<std::span<const double>>(&points.coordinates); doubles && rows.empty())
    return doubles->data();

  const int d = points.dimensions;
  storage.resize(static_cast<std::size_t>(count * d));
  for_each_valid(points, rows, count, threads, [&](const auto* c, std::int64_t i, std::int64_t row) {
    for (int a = 0; a < d; ++a) storage[i * d + a] = static_cast<double>(c[row * d + a]);
  });
  return storage.data();
}

}  // namespace kann::problem
