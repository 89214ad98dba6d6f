#include "cpu/vector/sort_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#define VQSORT_ONLY_STATIC 1
#include "cpu/vector/highway.hpp"
// clang-format off
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
// clang-format on

// Highway 1.0.3 (Debian 12) has the sort in a header, except for its seed and its entry point.
#define KANN_OLD_VQSORT (HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH < 5)

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

void sort_keys(std::uint64_t* keys, std::size_t count) {
#if HWY_TARGET == HWY_SCALAR
  std::sort(keys, keys + count);
#elif KANN_OLD_VQSORT
  namespace hn = hwy::HWY_NAMESPACE;
  using Ascending = hn::detail::OrderAscending<std::uint64_t>;
  using Traits = hn::detail::TraitsLane<Ascending>;
  const hn::detail::SharedTraits<Traits> traits;
  hn::Sort(hn::SortTag<std::uint64_t>(), traits, keys, count, static_cast<std::uint64_t*>(nullptr));
#else
  hwy::HWY_NAMESPACE::VQSortStatic(keys, count, hwy::SortAscending());
#endif
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE

#if KANN_OLD_VQSORT
namespace hwy {

/// The seed of the samples that pivots come from. It is fixed: any pivots sort distinct keys to the same result.
void Sorter::Fill24Bytes(const void*, std::size_t, void* bytes) {
  for (int i = 0; i < 24; ++i) static_cast<unsigned char*>(bytes)[i] = static_cast<unsigned char>(37 * i + 11);
}

}  // namespace hwy
#endif

namespace kann::cpu {

KANN_ON_EACH_TARGET(void sort_keys(std::uint64_t*, std::size_t);)

void sort_keys(std::uint64_t* keys, std::int64_t count) {
  if (count > 1) KANN_DISPATCH(sort_keys)(keys, static_cast<std::size_t>(count));
}

}  // namespace kann::cpu
#endif
