#include "problem/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/left_out.hpp"
#include "base/threads/parallel.hpp"

namespace kann::problem {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

struct Part : Survey {
  Part() {
    box.lo.fill(k_infinity);
    box.hi.fill(-k_infinity);
  }
};

template <class T>
Part survey_range(const T* coordinates, int dimensions, std::int64_t begin, std::int64_t end) {
  Part part;
  for (std::int64_t i = begin; i < end; ++i) {
    const T* p = coordinates + i * dimensions;
    bool finite = true;
    for (int a = 0; a < dimensions; ++a) finite &= std::isfinite(p[a]);
    if (!finite) {
      ++part.invalid;
      if (base::is_left_out(p[0]))
        ++part.left_out;
      else if (part.first_invalid < 0)
        part.first_invalid = i;
      continue;
    }
    ++part.valid;
    for (int a = 0; a < dimensions; ++a) {
      part.box.lo[a] = std::min(part.box.lo[a], static_cast<double>(p[a]));
      part.box.hi[a] = std::max(part.box.hi[a], static_cast<double>(p[a]));
      // A double past the float32 range is not exact; the cast would be undefined.
      if constexpr (sizeof(T) == sizeof(double))
        part.exact &= std::abs(p[a]) <= std::numeric_limits<float>::max() &&
                      static_cast<double>(static_cast<float>(p[a])) == p[a];
    }
  }
  return part;
}

/// Widens `box` by a run of float32 points; returns false if one of them is not finite. Works on lanes, not points: 24
/// numbers are whole points in 2-D and 3-D and whole vectors on any machine, and this takes a sixth of the time of
/// going point by point.
template <int D>
bool widen(geometry::Box& box, const float* coordinates, std::int64_t points) {
  constexpr int lanes = 24;
  float lo[lanes], hi[lanes], odd[lanes] = {};  // x − x is 0, or NaN if x is not finite
  std::fill_n(lo, lanes, std::numeric_limits<float>::infinity());
  std::fill_n(hi, lanes, -std::numeric_limits<float>::infinity());
  const auto take = [&](const float* p, int count) {
    for (int lane = 0; lane < count; ++lane) {
      const float x = p[lane];
      lo[lane] = x < lo[lane] ? x : lo[lane];
      hi[lane] = x > hi[lane] ? x : hi[lane];
      odd[lane] += x - x;
    }
  };
  const std::int64_t size = points * D;
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) take(coordinates + i, lanes);
  take(coordinates + i, static_cast<int>(size - i));

  for (int lane = 0; lane < lanes; ++lane)
    if (odd[lane] != 0) return false;
  for (int lane = 0; lane < lanes; ++lane) {
    box.lo[lane % D] = std::min(box.lo[lane % D], static_cast<double>(lo[lane]));
    box.hi[lane % D] = std::max(box.hi[lane % D], static_cast<double>(hi[lane]));
  }
  return true;
}

template <int D>
Part survey_floats(const float* coordinates, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t run = 4096;  // invalid points are rare: only runs that hold one are read point by point
  Part part;
  for (; begin < end; begin += run) {
    const std::int64_t stop = std::min(end, begin + run);
    if (widen<D>(part.box, coordinates + begin * D, stop - begin))
      part.valid += stop - begin;
    else
      append(part, survey_range(coordinates, D, begin, stop));
  }
  return part;
}

Part survey_block(const float* coordinates, int dimensions, std::int64_t begin, std::int64_t end) {
  return dimensions == 3 ? survey_floats<3>(coordinates, begin, end) : survey_floats<2>(coordinates, begin, end);
}

Part survey_block(const double* coordinates, int dimensions, std::int64_t begin, std::int64_t end) {
  return survey_range(coordinates, dimensions, begin, end);
}

}  // namespace

Survey survey(const PointsView& points, int threads) {
  const std::int64_t n = points.size();
  std::vector<Part> parts(std::max(1, threads));
  std::visit(
      [&](const auto& c) {
        base::parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
          parts[block] = survey_block(c.data(), points.dimensions, begin, end);
        });
      },
      points.coordinates);

  Part whole;
  for (const Part& part : parts) append(whole, part);  // blocks are in row order
  if (whole.valid == 0) whole.box = geometry::Box{};
  for (int a = points.dimensions; a < 3; ++a) whole.box.lo[a] = whole.box.hi[a] = 0;
  return whole;
}

void append(Survey& whole, const Survey& part) {
  if (whole.first_invalid < 0) whole.first_invalid = part.first_invalid;
  if (whole.valid == 0) {
    whole.box = part.box;
  } else if (part.valid > 0) {
    for (int a = 0; a < 3; ++a) {
      whole.box.lo[a] = std::min(whole.box.lo[a], part.box.lo[a]);
      whole.box.hi[a] = std::max(whole.box.hi[a], part.box.hi[a]);
    }
  }
  whole.valid += part.valid;
  whole.invalid += part.invalid;
  whole.left_out += part.left_out;
  whole.exact &= part.exact;
}

}  // namespace kann::problem
