#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/order/order.hpp"
#include "cpu/vector/sort_keys.hpp"

namespace kann::cpu {
namespace {

/// Fewer keys are sorted faster by one thread.
constexpr std::int64_t k_serial_keys = 1 << 14;

/// `count` of the keys, sorted.
std::vector<std::uint64_t> sample_of(const Array<std::uint64_t>& keys, std::int64_t count) {
  const std::int64_t n = static_cast<std::int64_t>(keys.size());
  std::vector<std::uint64_t> sample(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) sample[i] = keys[i * n / count];
  sort_keys(sample.data(), count);  // 4,096 keys: .02 ms, by std::sort .2
  return sample;
}

/// A bucket for each value of the leading bits, which a shift finds. (Two threads, 2²⁰ keys: 9.2 → 6.3 ms of processor
/// time, since few keys are left in a bucket.)
class LeadingBits {
 public:
  LeadingBits(const Array<std::uint64_t>& keys, int threads) {
    constexpr std::int64_t keys_each = 128, maximum = 1 << 13, samples = 1024;
    const std::int64_t wanted = std::min(static_cast<std::int64_t>(keys.size()) / keys_each, maximum);
    const std::vector<std::uint64_t> sample = sample_of(keys, samples);
    const auto bits_of = [](std::uint64_t number) { return static_cast<int>(std::bit_width(number)); };
    low_bits_ = std::max(0, bits_of(sample.back()) - bits_of(static_cast<std::uint64_t>(wanted - 1)));
    last_ = sample.back() >> low_bits_;
    // No bucket may have so much of the sample that one thread would still sort it when the others are done
    const std::int64_t share = std::max<std::int64_t>(4, samples / (8 * threads));
    are_even_ = true;
    for (std::int64_t i = 0; i + share < samples; ++i) are_even_ &= bucket(sample[i]) != bucket(sample[i + share]);
  }

  bool are_even() const { return are_even_; }
  int count() const { return static_cast<int>(last_) + 1; }
  int bucket(std::uint64_t key) const { return static_cast<int>(std::min(key >> low_bits_, last_)); }

 private:
  int low_bits_;
  std::uint64_t last_;
  bool are_even_;
};

/// Buckets of even size by splitters from a sample of the keys: bucket b holds splitters[b−1] < key ≤ splitters[b].
class Splitters {
 public:
  Splitters(const Array<std::uint64_t>& keys, int threads) {
    while (log2_buckets_ < 9 && 1 << log2_buckets_ < 4 * threads) ++log2_buckets_;
    constexpr std::int64_t samples_each = 64;  // bucket sizes differ by at most 1.4 ×, almost always
    const std::vector<std::uint64_t> sample = sample_of(keys, samples_each << log2_buckets_);
    splitters_.resize(std::size_t{1} << log2_buckets_);
    for (std::size_t b = 0; b < splitters_.size(); ++b) splitters_[b] = sample[(b + 1) * samples_each - 1];
  }

  int count() const { return 1 << log2_buckets_; }

  int bucket(std::uint64_t key) const {  // no branches
    std::size_t b = 0;
    for (std::size_t half = std::size_t{1} << log2_buckets_ >> 1; half > 0; half /= 2)
      b += splitters_[b + half - 1] < key ? half : 0;
    return static_cast<int>(b);
  }

 private:
  int log2_buckets_ = 1;
  std::vector<std::uint64_t> splitters_;
};

/// Moves the keys into their buckets, and sorts these.
template <class Buckets>
void sort_in_buckets(const Buckets& by, Array<std::uint64_t>& keys, Array<std::uint64_t>& scratch, int threads) {
  const std::int64_t count = static_cast<std::int64_t>(keys.size());
  const int buckets = by.count();
  base::resize_fresh(scratch, count);

  // The first place of each block's keys in each bucket: counts, then their exclusive sums, bucket by bucket.
  std::vector<std::int64_t> places(static_cast<std::size_t>(buckets) * threads);
  const auto each_key = [&](int block, std::int64_t begin, std::int64_t end, auto&& f) {
    std::vector<std::int64_t> own(static_cast<std::size_t>(buckets));  // a copy per block avoids false sharing
    for (int b = 0; b < buckets; ++b) own[b] = places[static_cast<std::size_t>(b) * threads + block];
    const Buckets find = by;  // a copy stays in registers, whatever is stored
    for (std::int64_t i = begin; i < end; ++i) f(keys[i], own[find.bucket(keys[i])]);
    for (int b = 0; b < buckets; ++b) places[static_cast<std::size_t>(b) * threads + block] = own[b];
  };
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    each_key(block, begin, end, [](std::uint64_t, std::int64_t& n) { ++n; });
  });
  std::int64_t sum = 0;
  for (auto& place : places) sum += std::exchange(place, sum);
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    std::uint64_t* const to = scratch.data();
    each_key(block, begin, end, [to](std::uint64_t key, std::int64_t& place) { to[place++] = key; });
  });

  // Every place has moved to the end of its run; that of the last block is the end of the bucket.
  keys.swap(scratch);
  const auto end_of = [&](std::int64_t b) { return b < 0 ? 0 : places[(b + 1) * threads - 1]; };
  base::parallel_chunks(buckets, std::max(1, buckets / (16 * threads)), threads,
                        [&](std::int64_t first, std::int64_t last) {
                          for (std::int64_t b = first; b < last; ++b)
                            sort_keys(keys.data() + end_of(b - 1), end_of(b) - end_of(b - 1));
                        });
}

}  // namespace

void parallel_sort(Array<std::uint64_t>& keys, Array<std::uint64_t>& scratch, int threads) {
  if (threads == 1 || static_cast<std::int64_t>(keys.size()) < k_serial_keys)
    return sort_keys(keys.data(), static_cast<std::int64_t>(keys.size()));
  const LeadingBits leading(keys, threads);
  if (leading.are_even()) return sort_in_buckets(leading, keys, scratch, threads);
  sort_in_buckets(Splitters(keys, threads), keys, scratch, threads);
}

}  // namespace kann::cpu
