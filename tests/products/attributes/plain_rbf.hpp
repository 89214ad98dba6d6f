// Radial basis functions by their definition, in 80 bits, with full pivoting; nothing is shared with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kann/transfer.hpp"

namespace kann::test {

using Wide = long double;
using WidePoint = std::vector<Wide>;

inline Wide plain_kernel(RbfKernel kernel, Wide r) {
  if (kernel == RbfKernel::thin_plate_spline) return r == 0 ? 0 : r * r * std::log(r);
  if (kernel == RbfKernel::cubic) return r * r * r;
  return kernel == RbfKernel::linear ? -r : std::exp(-r * r);
}

inline Wide plain_distance(const WidePoint& p, const WidePoint& q) {
  Wide sum = 0;
  for (std::size_t a = 0; a < p.size(); ++a) sum += (p[a] - q[a]) * (p[a] - q[a]);
  return std::sqrt(sum);
}

/// All products of at most `degree` coordinates.
inline std::vector<Wide> plain_monomials(const WidePoint& u, int degree) {
  std::vector<Wide> out;
  if (degree >= 0) out.push_back(1);
  if (degree >= 1) out.insert(out.end(), u.begin(), u.end());
  if (degree >= 2)
    for (std::size_t a = 0; a < u.size(); ++a)
      for (std::size_t b = a; b < u.size(); ++b) out.push_back(u[a] * u[b]);
  return out;
}

/// The solution of A x = b, and the ratio of the smallest pivot to the largest.
inline std::pair<std::vector<Wide>, Wide> plain_solution(std::vector<std::vector<Wide>> a, std::vector<Wide> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  Wide largest = 0, smallest = INFINITY;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(a[i][j]) > std::abs(a[row][column])) row = i, column = j;
    std::swap(a[k], a[row]);
    std::swap(b[k], b[row]);
    std::swap(order[k], order[column]);
    for (auto& r : a) std::swap(r[k], r[column]);
    largest = std::max(largest, std::abs(a[k][k]));
    smallest = std::min(smallest, std::abs(a[k][k]));
    for (std::size_t i = k + 1; i < n; ++i) {
      const Wide factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  std::vector<Wide> x(n);
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * x[order[j]];
    x[order[k]] = b[k] / a[k][k];
  }
  return {x, n == 0 ? 1 : smallest / largest};
}

/// The value at `query` of the function through `points`, and how regular its system is.
inline std::pair<Wide, Wide> plain_rbf(const std::vector<WidePoint>& points, const std::vector<Wide>& values,
                                       const WidePoint& query, const RbfOptions& options) {
  WidePoint shift, scale;
  for (std::size_t a = 0; a < query.size(); ++a) {
    Wide low = points[0][a], high = low;
    for (const WidePoint& p : points) low = std::min(low, p[a]), high = std::max(high, p[a]);
    shift.push_back((low + high) / 2);
    scale.push_back(high == low ? 1 : (high - low) / 2);
  }
  const auto monomials_at = [&](WidePoint p) {
    for (std::size_t a = 0; a < p.size(); ++a) p[a] = (p[a] - shift[a]) / scale[a];
    return plain_monomials(p, options.degree);
  };
  const std::size_t m = points.size(), n = m + monomials_at(query).size();
  Wide unit = 1e-4900L;  // brings the kernel's elements to those of the monomials, for the ratio
  for (const WidePoint& p : points)
    for (const WidePoint& q : points)
      unit = std::max(unit, std::abs(plain_kernel(options.kernel, options.epsilon * plain_distance(p, q))));
  std::vector<std::vector<Wide>> a(n, std::vector<Wide>(n));
  std::vector<Wide> b(n), at_query(n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j)
      a[i][j] = plain_kernel(options.kernel, options.epsilon * plain_distance(points[i], points[j])) / unit;
    a[i][i] += options.smoothing / unit;
    b[i] = values[i];
    at_query[i] = plain_kernel(options.kernel, options.epsilon * plain_distance(points[i], query)) / unit;
    const auto monomials = monomials_at(points[i]);
    for (std::size_t t = 0; t < monomials.size(); ++t) a[i][m + t] = a[m + t][i] = monomials[t];
  }
  const auto monomials = monomials_at(query);
  std::copy(monomials.begin(), monomials.end(), at_query.begin() + static_cast<std::ptrdiff_t>(m));
  const auto [x, regularity] = plain_solution(a, b);
  Wide value = 0;
  for (std::size_t i = 0; i < n; ++i) value += x[i] * at_query[i];
  return {value, regularity};
}

}  // namespace kann::test
