// The LU factorisation on the host, and how far a factorisation is from its matrix. Shares no code with the kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace kann::bench {

/// A random matrix with elements in [-1, 1), n × n, column by column. Without pivoting, n is added to the diagonal, so
/// that no pivot is small.
template <class Real>
std::vector<Real> random_matrix(int n, bool pivoting, std::uint64_t seed);

/// Replaces the n × n matrix, column by column, by L without its diagonal of ones, and U. Each element takes the same
/// rounded operations, in the same order, as the loops in 2.2 of the LU paper: a division, or fma(-l, u, a) for every
/// k. Returns the row that each row was exchanged with, from 0 on; without pivoting, none.
template <class Real>
std::vector<std::int32_t> factor_on_host(std::vector<Real>& matrix, int n, bool pivoting);

/// ‖PA − LU‖ / ‖A‖, both Frobenius norms, the first estimated in double as the root mean square of ‖(PA − LU)x‖ over
/// four vectors x of random signs, whose expected square it is. O(n²). Empty pivots: P = I.
template <class Real>
double lu_residual(const std::vector<Real>& matrix, const std::vector<Real>& factors,
                   const std::vector<std::int32_t>& pivots, int n);

}  // namespace kann::bench
