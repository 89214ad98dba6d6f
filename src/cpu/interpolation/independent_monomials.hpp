// Which monomials neighbours can tell apart: on a plane, z is a combination of 1, x and y.
#pragma once

#include <cstdint>
#include <span>

namespace kann::cpu {

/// The subset of `monomials` that are not, on the given points, linear combinations of the ones before them; at most as
/// many as there are points. A Gram–Schmidt process finds them: a monomial is kept if more than 2^−26 of it is left.
/// A combination leaves some 2^−50, because of rounding; points of extent 1 whose thickness is more than rounding leave
/// far more.
/// @param data coordinates, row-major
unsigned independent_monomials(unsigned monomials, std::span<const double> data, int dimensions,
                               std::span<const std::int32_t> ids);

}  // namespace kann::cpu
