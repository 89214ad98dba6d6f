// A point on the curve of a shift: the key that orders it, and its comparison with points of equal leading bits. Used
// by one thread per point.
#pragma once

#include "cuda/order/shift.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

/// A point on a Morton curve. Points are compared by their cells, which takes 40 instructions; computing both codes
/// would take 170.
template <int D>
class OnMortonCurve {
 public:
  __device__ __forceinline__ OnMortonCurve(const PlacedPoint& p, const Grid& grid, const Shift& shift) {
    const float xyz[3] = {p.x, p.y, p.z};
#pragma unroll
    for (int a = 0; a < D; ++a) cell_[a] = cell_of<D>(xyz[a], grid.lo[a], grid.inv) + shift.cells;
  }

  /// The leading bits of its code, as many as the shift compares.
  __device__ __forceinline__ std::uint64_t key(const Shift& shift) const {
    return interleave(cell_) >> (k_code_bits<D> - shift.bits);
  }

  /// Less than 0 if this point comes first, more than 0 if `other` does, 0 if both are in one cell.
  __device__ __forceinline__ int compare(const OnMortonCurve& other) const {
    return compare_interleaved(cell_, other.cell_);
  }

 private:
  std::uint32_t cell_[D];
};

/// A point on the Hilbert curve.
template <int D>
class OnHilbertCurve {
 public:
  __device__ __forceinline__ OnHilbertCurve(const PlacedPoint& p, const Grid& grid, const Shift& shift)
      : key_(code_of(p, grid, shift) >> (k_hilbert_bits<D> - shift.bits)) {}

  /// As OnMortonCurve.
  __device__ __forceinline__ std::uint64_t key(const Shift&) const { return key_; }

 private:
  __device__ __forceinline__ static std::uint64_t code_of(const PlacedPoint& p, const Grid& grid, const Shift& shift) {
    const float xyz[3] = {p.x, p.y, p.z};
    return hilbert_code<D>(xyz, grid, shift.hilbert_bits_per_axis);
  }

  std::uint64_t key_;
};

/// Calls f<D, OnCurve>() for the curve of a shift.
template <class F>
void with_curve(const Shift& shift, F&& f) {
  if (shift.dimensions == 3) {
    is_hilbert(shift) ? f.template operator()<3, OnHilbertCurve<3>>() : f.template operator()<3, OnMortonCurve<3>>();
  } else {
    is_hilbert(shift) ? f.template operator()<2, OnHilbertCurve<2>>() : f.template operator()<2, OnMortonCurve<2>>();
  }
}

}  // namespace kann::cuda
