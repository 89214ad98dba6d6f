#include "cpu/sort.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/vector/sort_keys.hpp"

namespace kann::cpu {
namespace {

/// Fewer keys are sorted faster by one thread.
constexpr std::int64_t k_serial_keys = 1 << 14;

/// Buckets of even size by splitters from a sample of the keys: bucket b holds splitters[b−1] < key ≤ splitters[b].
class Splitters {
 public:
  Splitters(const Array<std::uint64_t>& keys, int log2_buckets) : log2_buckets_(log2_buckets) {
    constexpr std::int64_t samples_each = 64;  // bucket sizes differ by at most 1.4 ×, almost always
    const std::int64_t count = static_cast<std::int64_t>(keys.size()), samples = samples_each << log2_buckets;
    std::vector<std::uint64_t> sample(static_cast<std::size_t>(samples));
    for (std::int64_t i = 0; i < samples; ++i) sample[i] = keys[i * count / samples];
    std::sort(sample.begin(), sample.end());
    splitters_.resize(std::size_t{1} << log2_buckets);
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
  int log2_buckets_;
  std::vector<std::uint64_t> splitters_;
};

}  // namespace

void parallel_sort(Array<std::uint64_t>& keys, Array<std::uint64_t>& scratch, int threads) {
  const std::int64_t count = static_cast<std::int64_t>(keys.size());
  if (threads == 1 || count < k_serial_keys) return sort_keys(keys.data(), count);

  int log2_buckets = 1;
  while (log2_buckets < 9 && 1 << log2_buckets < 4 * threads) ++log2_buckets;
  const Splitters splitters(keys, log2_buckets);
  const int buckets = splitters.count();
  base::resize_fresh(scratch, count);

  // The first place of each block's keys in each bucket: counts, then their exclusive sums, bucket by bucket.
  std::vector<std::int64_t> places(static_cast<std::size_t>(buckets) * threads);
  const auto each_key = [&](int block, std::int64_t begin, std::int64_t end, auto&& f) {
    std::vector<std::int64_t> own(static_cast<std::size_t>(buckets));  // a copy per block avoids false sharing
    for (int b = 0; b < buckets; ++b) own[b] = places[static_cast<std::size_t>(b) * threads + block];
    for (std::int64_t i = begin; i < end; ++i) f(keys[i], own[splitters.bucket(keys[i])]);
    for (int b = 0; b < buckets; ++b) places[static_cast<std::size_t>(b) * threads + block] = own[b];
  };
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    each_key(block, begin, end, [](std::uint64_t, std::int64_t& n) { ++n; });
  });
  std::int64_t sum = 0;
  for (auto& place : places) sum += std::exchange(place, sum);
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    each_key(block, begin, end, [&](std::uint64_t key, std::int64_t& place) { scratch[place++] = key; });
  });

  // Every place has moved to the end of its run; that of the last block is the end of the bucket.
  keys.swap(scratch);
  base::parallel_chunks(buckets, 1, threads, [&](std::int64_t b, std::int64_t) {
    const std::int64_t begin = b == 0 ? 0 : places[b * threads - 1];
    sort_keys(keys.data() + begin, places[(b + 1) * threads - 1] - begin);
  });
}

}  // namespace kann::cpu
