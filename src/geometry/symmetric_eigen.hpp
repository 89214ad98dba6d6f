// The eigenvalues of a covariance in 3-D, and the direction in which points vary least.
//
// The eigenvalues of B = (A − q·I) / p, with q = tr A / 3 and 6p² = |A − q·I|², are the roots of β³ − 3β − 2h with
// 2h = det B (Smith 1961). Where two of them nearly coincide, they have lost half of their digits; but the third, which
// is the largest of |β|, is at least √3 away from them, and so is its eigenvector well-conditioned. It is found first,
// and the other two are the solution of a problem with two rows, orthogonal to it, for which one Jacobi rotation is
// exact but for rounding (Eberly, "A Robust Eigensolver for 3 × 3 Symmetric Matrices", 2014, sections 5 and 6). In the
// place of its cosines, whose bits depend on the library, the root is found by Newton's method: √3 ≤ β ≤ 2 for
// 0 ≤ h ≤ 1, and from the parabola below, three steps leave only rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/vector3.hpp"

namespace kann::geometry {

struct Symmetric3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  /// xᵀ A y.
  double form(const Vector3& x, const Vector3& y) const {
    return x[0] * (xx * y[0] + xy * y[1] + xz * y[2]) + x[1] * (xy * y[0] + yy * y[1] + yz * y[2]) +
           x[2] * (xz * y[0] + yz * y[1] + zz * y[2]);
  }
};

struct SymmetricEigen {
  std::array<double, 3> values{};  ///< descending, and not below 0
  Vector3 least{0, 0, 1};          ///< the unit eigenvector of the last; any if it is not the only one
};

/// The root β of β³ − 3β − 2h with √3 ≤ β ≤ 2, for 0 ≤ h ≤ 1.
inline double largest_root(double h) {
  constexpr double at_0 = 1.7320508075688772, slope_at_0 = 1.0 / 3, bend = at_0 + slope_at_0 - 2;
  double root = at_0 + h * (slope_at_0 - h * bend);
  for (int step = 0; step < 3; ++step) root -= (root * (root * root - 3) - 2 * h) / (3 * (root * root - 1));
  return root;
}

/// A unit vector that is orthogonal to the unit vector v. An axis that v does not have stays exact.
inline Vector3 orthogonal_to(const Vector3& v) {
  const int out = std::abs(v[0]) > std::abs(v[1]) ? 1 : 0, other = 1 - out;
  const double length = std::sqrt(v[other] * v[other] + v[2] * v[2]);
  Vector3 u{};
  u[other] = -v[2] / length;
  u[2] = v[other] / length;
  return u;
}

/// The unit vector v with (B − β·I) v = 0, where β is an eigenvalue of B with no other near it. The cross products of
/// two rows all have this direction; the longest is taken.
inline Vector3 isolated_vector(const Symmetric3& b, double beta) {
  const Vector3 x{b.xx - beta, b.xy, b.xz}, y{b.xy, b.yy - beta, b.yz}, z{b.xz, b.yz, b.zz - beta};
  Vector3 longest{};
  double square = 0;
  for (const Vector3& v : {cross(x, y), cross(z, x), cross(y, z)})
    if (const double s = dot(v, v); s > square) {
      longest = v;
      square = s;
    }
  const double length = std::sqrt(square);
  return {longest[0] / length, longest[1] / length, longest[2] / length};
}

/// The eigenvalues of A, which is positive semidefinite but for rounding, to about 2⁻⁵⁰ times the largest, and the
/// eigenvector of the least, to about 2⁻⁵⁰ times the largest over the least gap. The squares of the elements must be
/// normal numbers. Example: the diagonal 1, 9, 4 has the values 9, 4, 1 and the vector (1, 0, 0).
inline SymmetricEigen eigen_of(const Symmetric3& a) {
  const double q = (a.xx + a.yy + a.zz) / 3, x = a.xx - q, y = a.yy - q, z = a.zz - q;
  const double p = std::sqrt((x * x + y * y + z * z + 2 * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz)) / 6);
  if (p == 0) return {{q, q, q}};
  const Symmetric3 b{x / p, a.xy / p, a.xz / p, y / p, a.yz / p, z / p};
  const double h =
      (b.xx * (b.yy * b.zz - b.yz * b.yz) - b.xy * (b.xy * b.zz - b.yz * b.xz) + b.xz * (b.xy * b.yz - b.yy * b.xz)) /
      2;
  const bool is_least = h < 0;  // the one that is isolated
  const double root = largest_root(std::min(std::abs(h), 1.0)), beta = is_least ? -root : root;
  const Vector3 v = isolated_vector(b, beta), u = orthogonal_to(v), w = cross(v, u);

  // The rotation by which uᵀ A w becomes 0
  const double uu = a.form(u, u), uw = a.form(u, w), ww = a.form(w, w), vv = a.form(v, v);
  double tangent = 0;
  if (uw != 0) {
    const double cotangent = (ww - uu) / (2 * uw);
    tangent = std::copysign(1 / (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent)), cotangent);
  }
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  const double first = uu - tangent * uw, second = ww + tangent * uw;
  const double from_u = first < second ? cosine : sine, from_w = first < second ? -sine : cosine;

  SymmetricEigen out;
  const double less = std::min(first, second), more = std::max(first, second);
  out.values = is_least ? std::array{more, less, vv} : std::array{vv, more, less};
  for (std::size_t i = 0; i < 3; ++i) out.least[i] = is_least ? v[i] : from_u * u[i] + from_w * w[i];
  // Rounding may have put equal ones out of their order, or 0 below 0
  for (double& value : out.values) value = std::max(value, 0.0);
  out.values[1] = std::min(out.values[1], out.values[0]);
  out.values[2] = std::min(out.values[2], out.values[1]);
  return out;
}

}  // namespace kann::geometry
