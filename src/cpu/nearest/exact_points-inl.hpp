// Float64 squared distances from a query to points anywhere. Compiled once per vector target: see lanes-inl.hpp.
#if defined(KANN_EXACT_POINTS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_EXACT_POINTS_TOGGLE
#undef KANN_EXACT_POINTS_TOGGLE
#else
#define KANN_EXACT_POINTS_TOGGLE
#endif

#include <array>
#include <cstdint>

#include "cpu/vector/lanes-inl.hpp"
#include "cpu/vector/placed_points.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The data as they were given, by place, as a query sees them.
template <int D, class Real>
class ExactPoints {
 public:
  HWY_INLINE ExactPoints(const PlacedView<D, Real>& data, const std::array<double, D>& query) : data_(data) {
    for (int a = 0; a < D; ++a) query_[a] = hn::Set(Doubles(), query[a]);
  }

  HWY_INLINE hn::Vec<Doubles> sq_distances(hn::Vec<Longs> places) const {
    hn::Vec<Doubles> differences[D];
    for (int a = 0; a < D; ++a) differences[a] = hn::Sub(query_[a], gather(data_.axes[a], places));
    return sum_of_squares(differences);
  }

  HWY_INLINE hn::Vec<HalfSigned> ids(hn::Vec<Longs> places) const {
    return hn::GatherIndex(HalfSigned(), reinterpret_cast<const std::int32_t*>(data_.ids), narrow(places));
  }

 private:
  static HWY_INLINE hn::Vec<Doubles> gather(const double* from, hn::Vec<Longs> places) {
    return hn::GatherIndex(Doubles(), from, places);
  }
  static HWY_INLINE hn::Vec<Doubles> gather(const float* from, hn::Vec<Longs> places) {
    return hn::PromoteTo(Doubles(), hn::GatherIndex(HalfFloats(), from, narrow(places)));
  }

  const PlacedView<D, Real>& data_;
  hn::Vec<Doubles> query_[D];
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
