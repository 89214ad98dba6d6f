// Candidates for a list of neighbours. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

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

/// Like CandidateBuffer, for more candidates. These are not initialised; with kCapacity = 0, the constructor is given
/// their number.
template <int kCapacity>
class LongCandidateBuffer {
 public:
  explicit LongCandidateBuffer([[maybe_unused]] std::int64_t capacity) {
    if constexpr (kCapacity == 0) {
      sq_dists_.resize(static_cast<std::size_t>(capacity + k_past));
      ids_.resize(static_cast<std::size_t>(capacity + k_past));
    }
  }

  std::int64_t count = 0;
  HWY_INLINE float* sq_dists() { return &sq_dists_[0]; }
  HWY_INLINE std::uint32_t* ids() { return &ids_[0]; }

  /// Appends the lanes of `mask`.
  HWY_INLINE void append(hn::Vec<Floats> some_sq_dists, hn::Vec<Unsigned> some_ids, hn::Mask<Floats> mask) {
    hn::StoreU(hn::Compress(some_sq_dists, mask), Floats(), sq_dists() + count);
    hn::StoreU(hn::Compress(some_ids, hn::RebindMask(Unsigned(), mask)), Unsigned(), ids() + count);
    count += static_cast<std::int64_t>(hn::CountTrue(Floats(), mask));
  }

  /// Drops the candidates that are farther than `sq_dist`.
  void keep_within(hn::Vec<Floats> sq_dist) {
    const std::int64_t before = count;
    count = 0;
    for (std::int64_t i = 0; i < before; i += k_lanes) {  // what is kept is written no farther than it was read
      const auto some = hn::LoadU(Floats(), sq_dists() + i);
      const auto some_ids = hn::LoadU(Unsigned(), ids() + i);
      const auto exists = hn::FirstN(Floats(), static_cast<std::size_t>(before - i));
      append(some, some_ids, hn::And(hn::Le(some, sq_dist), exists));
    }
  }

 private:
  static constexpr int k_past = 3 * k_lanes;  // what vectors read and write past the last
  template <class T>
  using Numbers = std::conditional_t<kCapacity == 0, std::vector<T>, T[kCapacity + k_past]>;

  Numbers<float> sq_dists_;
  Numbers<std::uint32_t> ids_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
