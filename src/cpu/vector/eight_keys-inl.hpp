// Eight keys in one AVX-512 register, sorted and merged without a branch. Compiled once per vector target.
#pragma once

#include "cpu/vector/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3

/// Compare-exchange with the lanes of `partners`: lanes of `upper` take the larger key, the others the smaller.
HWY_INLINE __m512d ordered(__m512d keys, __m512d partners, __mmask8 upper) {
  return _mm512_mask_max_pd(_mm512_min_pd(keys, partners), upper, keys, partners);
}

HWY_INLINE __m512d swapped_1(__m512d v) { return _mm512_permute_pd(v, 0x55); }
HWY_INLINE __m512d swapped_2(__m512d v) { return _mm512_permutex_pd(v, 0x4e); }
HWY_INLINE __m512d swapped_4(__m512d v) { return _mm512_shuffle_f64x2(v, v, 0x4e); }

/// Sorts a bitonic sequence, ascending.
HWY_INLINE __m512d sorted_bitonic(__m512d keys) {
  keys = ordered(keys, swapped_4(keys), 0xf0);
  keys = ordered(keys, swapped_2(keys), 0xcc);
  return ordered(keys, swapped_1(keys), 0xaa);
}

/// Sorts descending (bitonic sort).
HWY_INLINE __m512d sorted_falling(__m512d keys) {
  keys = ordered(keys, swapped_1(keys), 0x66);
  keys = ordered(keys, swapped_2(keys), 0x3c);
  keys = ordered(keys, swapped_1(keys), 0x5a);
  keys = ordered(keys, swapped_4(keys), 0x0f);
  keys = ordered(keys, swapped_2(keys), 0x33);
  return ordered(keys, swapped_1(keys), 0x55);
}

template <int kTurn>
HWY_INLINE __mmask8 same_when_turned(__m512i keys, __m512i others) {
  return _mm512_cmpeq_epi64_mask(keys, _mm512_alignr_epi64(others, others, kTurn));
}

/// Which of `keys` are among `others`.
HWY_INLINE __mmask8 repeated(__m512i keys, __m512i others) {
  return (same_when_turned<0>(keys, others) | same_when_turned<1>(keys, others)) |
         (same_when_turned<2>(keys, others) | same_when_turned<3>(keys, others)) |
         (same_when_turned<4>(keys, others) | same_when_turned<5>(keys, others)) |
         (same_when_turned<6>(keys, others) | same_when_turned<7>(keys, others));
}

#endif
}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
