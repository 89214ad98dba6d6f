#include "cpu/order/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/sort_keys.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

int ArgSorter::bits_beside_indices(std::int64_t count) {
  return 64 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1) - 1)));
}

template <int D>
void ArgSorter::sort_by_leading_bits(const Array<std::uint64_t>& codes, std::uint64_t shift, int threads) {
  const std::int64_t n = static_cast<std::int64_t>(codes.size());
  const int leading = std::min(k_code_bits<D>, bits_beside_indices(n));
  sort_codes(n, threads, [&](std::int64_t begin, std::int64_t end, std::uint64_t* keys) {
    shifted_keys<D>(codes.data() + begin, end - begin, shift, leading, keys);
  });
}

template <int D>
void ArgSorter::sort(const Array<std::uint64_t>& codes, std::uint64_t shift, int threads) {
  sort_by_leading_bits<D>(codes, shift, threads);
  if (k_code_bits<D> + index_bits_ <= 64) return;
  const auto leading = [&](std::int64_t i) { return packed_[i] >> index_bits_; };
  // Every block ends where a run of equal leading bits ends. All ends are found before any run is changed.
  std::vector<std::int64_t> ends(static_cast<std::size_t>(threads) + 1);
  for (int block = 1; block <= threads; ++block) {
    const std::int64_t end = size() * block / threads;
    if (end == 0) continue;
    const std::uint64_t last = leading(end - 1) << index_bits_ | index_mask();
    ends[block] = std::upper_bound(packed_.begin(), packed_.end(), last) - packed_.begin();
  }
  base::parallel_chunks(threads, 1, threads, [&](std::int64_t block, std::int64_t) {
    constexpr std::int64_t at_once = 32;
    const auto any_ties = [&](std::int64_t begin) {  // also true if a highest leading bit is set; no branch per key
      std::uint64_t found = 0;
      for (std::int64_t i = begin; i < begin + at_once; ++i)
        found |= ((packed_[i] ^ packed_[i + 1]) >> index_bits_) - 1;  // negative if they are equal
      return found >> 63 != 0;
    };
    const std::int64_t end = ends[block + 1];
    for (std::int64_t i = ends[block]; i < end;) {
      const std::int64_t next = std::min(i + at_once, end);
      if (next < end && !any_ties(i)) {
        i = next;
        continue;
      }
      for (std::int64_t run; i < next; i = run) {
        run = i + 1;
        while (run < end && leading(run) == leading(i)) ++run;
        if (run - i > 1) order_ties<D>(i, run, codes, shift);
      }
    }
  });
}

template <int D>
void ArgSorter::order_ties(std::int64_t begin, std::int64_t end, const Array<std::uint64_t>& codes,
                           std::uint64_t shift) {
  const auto first = packed_.begin() + begin, last = packed_.begin() + end;
  // The remaining bits of the code are fewer than its leading bits, and replace them for the sort.
  const std::uint64_t leading = *first & ~index_mask();
  const int rest_bits = std::max(0, k_code_bits<D> + index_bits_ - 64);
  for (auto it = first; it != last; ++it) {
    const std::uint64_t place = *it & index_mask();
    *it = (add_shift<D>(codes[place], shift) & ((std::uint64_t{1} << rest_bits) - 1)) << index_bits_ | place;
  }
  if (!std::is_sorted(first, last)) sort_keys(&*first, end - begin);
  for (auto it = first; it != last; ++it) *it = leading | (*it & index_mask());
}

namespace {

/// How many points ahead memory is prefetched: the places are scattered.
constexpr std::int64_t k_gather_prefetch = 64;

}  // namespace

template <int D>
void gather_keys(const Array<std::uint64_t>& codes, const ArgSorter& order, std::uint64_t shift,
                 Array<std::uint64_t>& keys, int threads) {
  base::resize_fresh(keys, order.size());
  base::parallel_blocks(order.size(), threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::array<std::uint64_t, 512> some;
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t count = std::min<std::int64_t>(some.size(), end - i);
      for (std::int64_t j = 0; j < count; ++j) {
        __builtin_prefetch(&codes[order[std::min(i + j + k_gather_prefetch, end - 1)]]);
        some[j] = codes[order[i + j]];
      }
      shifted_keys<D>(some.data(), count, shift, k_code_bits<D>, &keys[i]);
      i += count;
    }
  });
}

template <int D>
void gather_rows(const float* points, const ArgSorter& order, Placed<D>& to, int threads) {
  to.resize(order.size());
  base::parallel_blocks(order.size(), threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      __builtin_prefetch(points + static_cast<std::int64_t>(order[std::min(i + k_gather_prefetch, end - 1)]) * D);
      const float* const point = points + static_cast<std::int64_t>(order[i]) * D;
      to.ids[i] = order[i];
      for (int a = 0; a < D; ++a) to.axes[a][i] = point[a];
    }
  });
}

template <int D>
void gather_doubles(const double* points, const Placed<D>& order, PlacedDoubles<D>& to, int threads) {
  to.resize(order.count);
  base::parallel_blocks(order.count, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      __builtin_prefetch(points + static_cast<std::int64_t>(order.ids[std::min(i + k_gather_prefetch, end - 1)]) * D);
      const double* const point = points + static_cast<std::int64_t>(order.ids[i]) * D;
      for (int a = 0; a < D; ++a) to.axes[a][i] = point[a];
    }
  });
}

template <int D>
void gather_placed(const Placed<D>& points, const ArgSorter& order, ShiftedOrder<D>& to, int threads) {
  to.points.resize(order.size());
  base::resize_fresh(to.places, order.size() + k_group);
  std::fill(to.places.end() - k_group, to.places.end(), 0u);
  base::parallel_for(order.size(), threads, [&](std::int64_t i) {
    const std::uint32_t place = order[i];
    to.places[i] = place;
    to.points.ids[i] = points.ids[place];
    for (int a = 0; a < D; ++a) to.points.axes[a][i] = points.axes[a][place];
  });
}

void rank_data(const Array<std::uint64_t>& keys, const std::uint32_t* places, Array<std::uint32_t>& ranks,
               int threads) {
  const std::int64_t n = static_cast<std::int64_t>(keys.size());
  base::resize_fresh(ranks, n);
  base::parallel_blocks(n, threads, [&](int, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    auto rank =
        static_cast<std::uint32_t>(std::upper_bound(keys.begin() + end, keys.end(), keys[end - 1]) - keys.begin());
    for (std::int64_t i = end - 1;; --i) {
      ranks[places ? places[i] : i] = rank;
      if (i == begin) break;
      rank = keys[i - 1] == keys[i] ? rank : static_cast<std::uint32_t>(i);
    }
  });
}

#define KANN_INSTANTIATE(D)                                                                                         \
  template void ArgSorter::sort_by_leading_bits<D>(const Array<std::uint64_t>&, std::uint64_t, int);                \
  template void ArgSorter::sort<D>(const Array<std::uint64_t>&, std::uint64_t, int);                                \
  template void gather_keys<D>(const Array<std::uint64_t>&, const ArgSorter&, std::uint64_t, Array<std::uint64_t>&, \
                               int);                                                                                \
  template void gather_rows<D>(const float*, const ArgSorter&, Placed<D>&, int);                                    \
  template void gather_doubles<D>(const double*, const Placed<D>&, PlacedDoubles<D>&, int);                         \
  template void gather_placed<D>(const Placed<D>&, const ArgSorter&, ShiftedOrder<D>&, int);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
