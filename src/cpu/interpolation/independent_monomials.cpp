#include "cpu/interpolation/independent_monomials.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/interpolation/kernels-inl.hpp"
#include "geometry/interpolation/shape.hpp"

namespace kann::cpu {
namespace {

using Vector = std::vector<double>;  // a number per point

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Coordinates scaled to [−1, 1], per axis; the third is 0 in 2-D.
std::vector<Vector> scaled_axes(std::span<const double> data, int dimensions, std::span<const std::int32_t> ids) {
  std::vector<Vector> axes(3, Vector(ids.size()));
  for (int a = 0; a < dimensions; ++a) {
    Vector& u = axes[static_cast<std::size_t>(a)];
    std::ranges::transform(ids, u.begin(), [&](std::int32_t id) { return data[std::int64_t{id} * dimensions + a]; });
    const auto [low, high] = std::ranges::minmax(u);
    const double shift = (high + low) * 0.5, half = (high - low) * 0.5, scale = half == 0 ? 1 : half;
    for (double& x : u) x = (x - shift) / scale;
  }
  return axes;
}

}  // namespace

unsigned independent_monomials(unsigned monomials, std::span<const double> data, int dimensions,
                               std::span<const std::int32_t> ids) {
  const std::vector<Vector> axes = scaled_axes(data, dimensions, ids);
  std::vector<Vector> basis;
  unsigned independent = 0;
  for (int number = 0; number < interpolation::k_monomials && basis.size() < ids.size(); ++number) {
    if (!(monomials >> number & 1)) continue;
    Vector values(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double u[3] = {axes[0][i], axes[1][i], axes[2][i]};
      values[i] = interpolation::scalar::monomial(number, u);
    }
    const double size = std::sqrt(dot(values, values));
    for (int pass = 0; pass < 2; ++pass)  // the second removes what the rounding of the first left
      for (const Vector& b : basis) {
        const double part = dot(values, b);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] -= part * b[i];
      }
    const double left = std::sqrt(dot(values, values));
    if (!(left > 0x1p-26 * size)) continue;
    for (double& x : values) x /= left;
    basis.push_back(std::move(values));
    independent |= 1u << number;
  }
  return independent;
}

}  // namespace kann::cpu
