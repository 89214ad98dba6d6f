// One of the shifted orders, as the kernels take it.
#pragma once

#include <cstdint>

#include "geometry/morton.hpp"
#include "problem.hpp"

namespace kann::cuda {

/// How the codes of points become the keys that order them.
struct Shift {
  int dimensions;
  std::uint64_t code;  ///< what is added to every code (shift_code)
  int bits;            ///< leading bits of the sum that are compared
};

/// Shift j of the problem.
inline Shift shift_of(const Problem& p, int j) {
  return {p.dimensions, p.dimensions == 3 ? shift_code<3>(j, p.shifts) : shift_code<2>(j, p.shifts), p.bits};
}

}  // namespace kann::cuda
