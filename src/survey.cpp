#include "survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace kann {
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
      if (part.invalid++ == 0) part.first_invalid = i;
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

}  // namespace

Survey survey(const Points& points, int threads) {
  const std::int64_t n = points.size();
  std::vector<Part> parts(std::max(1, threads));
  std::visit(
      [&](const auto& c) {
        parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
          parts[block] = survey_range(c.data(), points.dimensions, begin, end);
        });
      },
      points.coordinates);

  Part whole;
  for (const Part& part : parts) {  // blocks are in row order, so the first invalid row found is the first of all
    if (whole.first_invalid < 0) whole.first_invalid = part.first_invalid;
    whole.valid += part.valid;
    whole.invalid += part.invalid;
    whole.exact &= part.exact;
    for (int a = 0; a < points.dimensions; ++a) {
      whole.box.lo[a] = std::min(whole.box.lo[a], part.box.lo[a]);
      whole.box.hi[a] = std::max(whole.box.hi[a], part.box.hi[a]);
    }
  }
  if (whole.valid == 0) whole.box = Box{};
  for (int a = points.dimensions; a < 3; ++a) whole.box.lo[a] = whole.box.hi[a] = 0;
  return whole;
}

bool is_valid(const Points& points, std::int64_t i) {
  bool finite = true;
  for (int a = 0; a < points.dimensions; ++a) finite &= std::isfinite(points.at(i, a));
  return finite;
}

}  // namespace kann
