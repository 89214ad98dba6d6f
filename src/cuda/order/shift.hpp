// The order of the points in one shift, or along an unshifted curve, as kernels take it.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/hilbert.hpp"
#include "geometry/morton.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

/// How points become the keys that order them.
struct Shift {
  int dimensions;
  std::uint32_t cells;            ///< number of cells that every axis is moved by (shift_cells); Morton codes only
  int bits;                       ///< leading bits of the sum, or of the Hilbert code, that are compared
  int hilbert_bits_per_axis = 0;  ///< 0 for Morton codes; otherwise the number of levels of Hilbert codes
};

/// Shift j of `shifts` shifts.
inline Shift shift_of(int dimensions, int j, int shifts) {
  return dimensions == 3 ? Shift{3, shift_cells<3>(j, shifts), k_code_bits<3>}
                         : Shift{2, shift_cells<2>(j, shifts), k_code_bits<2>};
}

/// The Morton curve without a shift, and the Hilbert curve: for orders that no answer depends on.
inline Shift morton_curve(int dimensions) { return shift_of(dimensions, 0, 1); }
inline Shift hilbert_curve(int dimensions) {
  return dimensions == 3 ? Shift{3, 0, k_hilbert_bits<3>, k_cell_bits<3>}
                         : Shift{2, 0, k_hilbert_bits<2>, k_cell_bits<2>};
}

KANN_HOST_DEVICE bool is_hilbert(const Shift& shift) { return shift.hilbert_bits_per_axis > 0; }

/// Leading bits that are 0 in all codes: an unshifted Morton code leaves the highest bit of each axis to shifts.
inline int unused_bits(const Shift& shift) {
  return shift.hilbert_bits_per_axis > 0 || shift.cells > 0 ? 0 : shift.dimensions;
}

/// The same curve with `bits` leading bits compared; a Hilbert code then has the levels that these bits begin in.
inline Shift shortened(Shift curve, int bits) {
  if (curve.hilbert_bits_per_axis > 0) curve.hilbert_bits_per_axis = (bits + curve.dimensions - 1) / curve.dimensions;
  curve.bits = bits;
  return curve;
}

}  // namespace kann::cuda
