// Which monomials neighbours can tell apart: on a plane, z is a combination of 1, x and y.
#pragma once

#include <cstdint>
#include <span>

namespace kann::cpu {

/// Those of `monomials` that are on the given points no linear combination of the ones before them, by a Gram–Schmidt
/// process: what is left of one is more than 2^−26 of it. A combination that is hidden by rounding leaves some 2^−50,
/// the thickness of what measures 1 across where it is more than rounding is far more. At most as many as points.
/// @param data coordinates, row-major
unsigned independent_monomials(unsigned monomials, std::span<const double> data, int dimensions,
                               std::span<const std::int32_t> ids);

}  // namespace kann::cpu
