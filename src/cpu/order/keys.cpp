#include "cpu/order/keys.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/hilbert.hpp"
#include "geometry/morton.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int D>
void write_codes(const float* HWY_RESTRICT points, std::int64_t count, const Grid& grid,
                 std::uint64_t* HWY_RESTRICT codes) {
  const Grid g = grid;
  for (std::int64_t i = 0; i < count; ++i) codes[i] = morton_code<D>(points + i * D, g);
}

template <int D>
void write_axes_codes(const std::array<const float*, D>& axes, std::int64_t count, const Grid& grid,
                      std::uint64_t* HWY_RESTRICT codes) {
  const Grid g = grid;
  const std::array<const float*, D> from = axes;
  for (std::int64_t i = 0; i < count; ++i) {
    float point[D];
    for (int a = 0; a < D; ++a) point[a] = from[a][i];
    codes[i] = morton_code<D>(point, g);
  }
}

/// hilbert_code() of 64 points at a time, bit by bit, so that the compiler can put the points into vectors: with 14
/// bits per axis 3 ns per point; one point at a time takes 50.
template <int D>
void write_hilbert_codes(const float* HWY_RESTRICT points, std::int64_t count, const Grid& grid, int bits_per_axis,
                         std::uint64_t* HWY_RESTRICT codes) {
  constexpr std::int64_t at_once = 64;
  constexpr int axis_bits_per_word = 30 / D;
  const Grid g = grid;
  std::array<std::uint32_t, at_once> cells[D] = {}, parities, words[2];
  for (std::int64_t begin = 0; begin < count; begin += at_once) {
    const std::int64_t some = std::min(at_once, count - begin);
    const float* const from = points + begin * D;
    for (std::int64_t i = 0; i < some; ++i)
      for (int a = 0; a < D; ++a) cells[a][i] = cell_of<D>(from[i * D + a], g.lo[a], g.inv) << k_hilbert_left<D>;
    for (auto* const zeros : {&parities, &words[0], &words[1]}) zeros->fill(0);
    for (int bit = 0; bit < bits_per_axis; ++bit) {
      auto& word = words[bit / axis_bits_per_word];
      for (std::int64_t i = 0; i < at_once; ++i) {
        std::uint32_t cell[D];
        for (int a = 0; a < D; ++a) cell[a] = cells[a][i];
        add_hilbert_digit(cell, parities[i], word[i]);
        for (int a = 0; a < D; ++a) cells[a][i] = cell[a];
      }
    }
    const int low_bits = D * std::max(0, bits_per_axis - axis_bits_per_word);
    for (std::int64_t i = 0; i < some; ++i)
      codes[begin + i] = static_cast<std::uint64_t>(words[0][i]) << low_bits | words[1][i];
  }
}

template <int D>
void write_keys(const std::uint64_t* HWY_RESTRICT codes, std::int64_t count, std::uint64_t shift, int bits,
                std::uint64_t* HWY_RESTRICT keys) {
  for (std::int64_t i = 0; i < count; ++i) keys[i] = sort_key<D>(codes[i], shift, bits);
}

template <int D>
void write_ranks(const std::uint64_t* codes, std::int64_t count, std::uint64_t shift, const RankTable& table,
                 std::uint32_t* ranks) {
  const hn::ScalableTag<std::int64_t> d;  // keys have at most 63 bits, and AVX2 compares signed numbers
  constexpr std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  const auto* const sorted = reinterpret_cast<const std::int64_t*>(table.sorted);
  const std::uint32_t* const starts = table.starts.data();
  const auto last_bucket = hn::Set(d, static_cast<std::int64_t>(table.starts.size()) - 2);
  for (std::int64_t i = 0; i < count; i += lanes) {
    HWY_ALIGN std::array<std::uint64_t, lanes> keys{};
    HWY_ALIGN std::array<std::int64_t, lanes> found;
    const std::int64_t some = std::min(lanes, count - i);
    write_keys<D>(codes + i, some, shift, k_code_bits<D>, keys.data());
    const auto key = hn::BitCast(d, hn::Load(hn::ScalableTag<std::uint64_t>(), keys.data()));
    const auto bucket = hn::Min(hn::ShiftRightSame(key, table.low_bits), last_bucket);
#if HWY_TARGET == HWY_SCALAR
    auto low = hn::Set(d, starts[hn::GetLane(bucket)]), high = hn::Set(d, starts[hn::GetLane(bucket) + 1]);
#else
    // One load fetches the start of the bucket and, above it, that of the next bucket.
    const auto both = hn::GatherOffset(d, reinterpret_cast<const std::int64_t*>(starts), hn::ShiftLeft<2>(bucket));
    auto low = hn::And(both, hn::Set(d, 0xffffffff));
    auto high = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(hn::ScalableTag<std::uint64_t>(), both)));
#endif
    for (;;) {
      const auto open = hn::Lt(low, high);
      if (hn::AllFalse(d, open)) break;
      const auto middle = hn::IfThenElseZero(open, hn::ShiftRight<1>(hn::Add(low, high)));  // the index of a key
      const auto after = hn::Gt(hn::GatherIndex(d, sorted, middle), key);
      low = hn::IfThenElse(hn::AndNot(after, open), hn::Add(middle, hn::Set(d, 1)), low);
      high = hn::IfThenElse(hn::And(after, open), middle, high);
    }
    hn::Store(low, d, found.data());
    for (std::int64_t j = 0; j < some; ++j) ranks[i + j] = static_cast<std::uint32_t>(found[j]);
  }
}

template void write_codes<2>(const float*, std::int64_t, const Grid&, std::uint64_t*);
template void write_codes<3>(const float*, std::int64_t, const Grid&, std::uint64_t*);
template void write_axes_codes<2>(const std::array<const float*, 2>&, std::int64_t, const Grid&, std::uint64_t*);
template void write_axes_codes<3>(const std::array<const float*, 3>&, std::int64_t, const Grid&, std::uint64_t*);
template void write_hilbert_codes<2>(const float*, std::int64_t, const Grid&, int, std::uint64_t*);
template void write_hilbert_codes<3>(const float*, std::int64_t, const Grid&, int, std::uint64_t*);
template void write_keys<2>(const std::uint64_t*, std::int64_t, std::uint64_t, int, std::uint64_t*);
template void write_keys<3>(const std::uint64_t*, std::int64_t, std::uint64_t, int, std::uint64_t*);
template void write_ranks<2>(const std::uint64_t*, std::int64_t, std::uint64_t, const RankTable&, std::uint32_t*);
template void write_ranks<3>(const std::uint64_t*, std::int64_t, std::uint64_t, const RankTable&, std::uint32_t*);

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(
    template <int D> void write_codes(const float*, std::int64_t, const Grid&, std::uint64_t*); template <int D>
    void write_axes_codes(const std::array<const float*, D>&, std::int64_t, const Grid&, std::uint64_t*);
    template <int D> void write_hilbert_codes(const float*, std::int64_t, const Grid&, int, std::uint64_t*);
    template <int D> void write_keys(const std::uint64_t*, std::int64_t, std::uint64_t, int, std::uint64_t*);
    template <int D>
    void write_ranks(const std::uint64_t*, std::int64_t, std::uint64_t, const RankTable&, std::uint32_t*);)

template <int D>
void encode(const float* points, std::int64_t count, const Grid& grid, std::uint64_t* codes) {
  KANN_DISPATCH(write_codes<D>)(points, count, grid, codes);
}

template <int D>
void encode_axes(const std::array<const float*, D>& axes, std::int64_t count, const Grid& grid, std::uint64_t* codes) {
  KANN_DISPATCH(write_axes_codes<D>)(axes, count, grid, codes);
}

template <int D>
void encode_hilbert(const float* points, std::int64_t count, const Grid& grid, int bits_per_axis,
                    std::uint64_t* codes) {
  KANN_DISPATCH(write_hilbert_codes<D>)(points, count, grid, bits_per_axis, codes);
}

template <int D>
void shifted_keys(const std::uint64_t* codes, std::int64_t count, std::uint64_t shift, int bits, std::uint64_t* keys) {
  KANN_DISPATCH(write_keys<D>)(codes, count, shift, bits, keys);
}

template <int D>
void find_ranks(const std::uint64_t* codes, std::int64_t count, std::uint64_t shift, const RankTable& table,
                std::uint32_t* ranks) {
  KANN_DISPATCH(write_ranks<D>)(codes, count, shift, table, ranks);
}

void RankTable::build(const Array<std::uint64_t>& keys, int threads) {
  constexpr int keys_per_bucket = 2;  // or up to 4 (2²⁰ keys and queries: 7.9 ms; 8 to 16: 11.6; 1 to 2: 8.0)
  sorted = keys.data();
  count = static_cast<std::int64_t>(keys.size());
  const std::uint64_t last_key = count > 0 ? keys.back() : 0;
  const auto bits_of = [](std::uint64_t number) { return static_cast<int>(std::bit_width(number)); };
  low_bits = std::max(0, bits_of(last_key) - bits_of(static_cast<std::uint64_t>(count) / keys_per_bucket));
  const std::int64_t buckets = static_cast<std::int64_t>(last_key >> low_bits) + 1;
  base::resize_fresh(starts, buckets + 1);
  base::parallel_blocks(buckets + 1, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::fill(starts.begin() + begin, starts.begin() + end, 0u);
  });
  // The next bucket starts where a bucket ends. Every key writes that start, and the last key of the bucket writes
  // last: a branch would be mispredicted. A bucket that continues in the next block is written there.
  // The last key is the largest, unless the coordinates changed while they were put in order.
  const auto bucket = [&](std::int64_t i) { return std::min(keys[i], last_key) >> low_bits; };
  base::parallel_blocks(count, threads, [&](int, std::int64_t begin, std::int64_t end) {
    while (begin < end && end < count && bucket(end - 1) == bucket(end)) --end;
    for (std::int64_t i = begin; i < end; ++i) starts[bucket(i) + 1] = static_cast<std::uint32_t>(i + 1);
  });
  // Empty buckets start where the bucket before them ends.
  base::parallel_blocks(buckets + 1, threads, [&](int, std::int64_t begin, std::int64_t end) {
    const auto before = [&](std::uint64_t key) { return key >> low_bits < static_cast<std::uint64_t>(begin); };
    auto start = static_cast<std::uint32_t>(std::partition_point(keys.begin(), keys.end(), before) - keys.begin());
    for (std::int64_t b = begin; b < end; ++b) starts[b] = start = std::max(start, starts[b]);
  });
}

template void encode<2>(const float*, std::int64_t, const Grid&, std::uint64_t*);
template void encode<3>(const float*, std::int64_t, const Grid&, std::uint64_t*);
template void encode_axes<2>(const std::array<const float*, 2>&, std::int64_t, const Grid&, std::uint64_t*);
template void encode_axes<3>(const std::array<const float*, 3>&, std::int64_t, const Grid&, std::uint64_t*);
template void encode_hilbert<2>(const float*, std::int64_t, const Grid&, int, std::uint64_t*);
template void encode_hilbert<3>(const float*, std::int64_t, const Grid&, int, std::uint64_t*);
template void shifted_keys<2>(const std::uint64_t*, std::int64_t, std::uint64_t, int, std::uint64_t*);
template void shifted_keys<3>(const std::uint64_t*, std::int64_t, std::uint64_t, int, std::uint64_t*);
template void find_ranks<2>(const std::uint64_t*, std::int64_t, std::uint64_t, const RankTable&, std::uint32_t*);
template void find_ranks<3>(const std::uint64_t*, std::int64_t, std::uint64_t, const RankTable&, std::uint32_t*);

}  // namespace kann::cpu
#endif
