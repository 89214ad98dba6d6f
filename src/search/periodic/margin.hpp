// What rounding may do to distances between images.
//
// A data point p has the squared distance d² of PeriodicBox::sq_dist() from a query q. A search knows both by images:
// p', which is p moved by sides without rounding (remainder() is exact), and Q, the position of q moved by sides and
// rounded. It says of p', by float64 arithmetic, that its squared distance from Q is at least D². With u = 2⁻⁵³ and |.|
// the norm of what is meant without rounding:
// - A difference, a square and the two fused operations round by at most u each, relatively: D² ≤ (1 + 6u)·|Q − p'|²,
//   but for squares that underflow, which add less than 2⁻¹⁰⁷² in all. Likewise d² ≥ (1 − 6u)·|z|² − 2⁻¹⁰⁷².
// - The definition rounds q − p by at most η = u·(|q| + |p|) along a periodic axis, then subtracts sides without
//   rounding. Q is rounded by at most ρ = u·|Q|. So for the image of q that gives z, |z| ≥ |Q − p'| − η − ρ. (Along
//   other axes both subtract the same numbers.)
// Hence d² ≥ at_least(D², η + ρ), summed over the axes, which allows for much more than these and its own roundings.
#pragma once

#include <algorithm>
#include <cmath>

namespace kann::detail {

/// The squared distance, by definition, of points that are at a squared distance of `sq_dist` or more from the image of
/// a query; `slack` is η + ρ, or more.
inline double at_least(double sq_dist, double slack) {
  constexpr double smaller = 1 - 0x1p-49, underflow = 0x1p-1068;
  const double distance = std::sqrt(std::max(0.0, sq_dist * smaller - underflow)) * smaller - slack;
  return distance > 0 ? std::max(0.0, distance * distance * smaller - underflow) : 0;
}

}  // namespace kann::detail
