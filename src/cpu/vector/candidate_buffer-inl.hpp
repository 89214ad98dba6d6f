// Candidates for a list of neighbours. Compiled once per vector target: see lanes-inl.hpp.
#if defined(KANN_CANDIDATE_BUFFER_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_CANDIDATE_BUFFER_TOGGLE
#undef KANN_CANDIDATE_BUFFER_TOGGLE
#else
#define KANN_CANDIDATE_BUFFER_TOGGLE
#endif

#include <cstdint>

#include "cpu/vector/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Up to kCapacity candidates; squared distances and ids in two arrays.
template <int kCapacity>
struct CandidateBuffer {
  std::int64_t count = 0;
  HWY_ALIGN float sq_dists[kCapacity + k_lanes] = {};
  HWY_ALIGN std::uint32_t ids[kCapacity + k_lanes] = {};  // past the last, any values

  /// Appends the lanes of `mask` behind `before` candidates; returns their new number.
  HWY_INLINE std::int64_t append(std::int64_t before, hn::Vec<Floats> some_sq_dists, hn::Vec<Unsigned> some_ids,
                                 hn::Mask<Floats> mask) {
    hn::StoreU(hn::Compress(some_sq_dists, mask), Floats(), sq_dists + before);
    hn::StoreU(hn::Compress(some_ids, hn::RebindMask(Unsigned(), mask)), Unsigned(), ids + before);
    return before + static_cast<std::int64_t>(hn::CountTrue(Floats(), mask));
  }
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
