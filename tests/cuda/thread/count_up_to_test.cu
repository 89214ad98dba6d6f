// The binary search of a thread on a device, against std::upper_bound.
#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/thread/binary_search.cuh"

namespace kann {
namespace {

class CountUpTo : public test::GpuTest {};

struct Case {
  std::uint32_t begin, count;  ///< which keys
  std::uint64_t last;
};

/// One thread per case.
__global__ void count_kernel(const std::uint64_t* d_keys, const Case* d_cases, int cases, std::uint32_t* d_counts) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < cases) d_counts[i] = cuda::thread::count_up_to(d_keys + d_cases[i].begin, d_cases[i].count, d_cases[i].last);
}

TEST_F(CountUpTo, IsTheUpperBound) {
  test::Random random(64);
  std::vector<std::uint64_t> keys;
  std::vector<Case> cases;
  std::vector<std::uint32_t> right;
  for (const std::uint32_t count : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 255, 256, 257, 1023, 1025})
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{100}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> some(count);
      for (auto& key : some) key = random.below(range);
      std::sort(some.begin(), some.end());
      std::vector<std::uint64_t> lasts = {0, 1, range, ~std::uint64_t{0}};
      for (int i = 0; i < 20; ++i) lasts.push_back(random.below(range));
      if (count > 0) lasts.insert(lasts.end(), {some.front(), some.back(), some.back() - 1, some[count / 2]});
      for (const std::uint64_t last : lasts) {
        cases.push_back({static_cast<std::uint32_t>(keys.size()) + 1, count, last});
        right.push_back(static_cast<std::uint32_t>(std::upper_bound(some.begin(), some.end(), last) - some.begin()));
      }
      keys.push_back(0);  // beside the keys lie zeros, which would be counted
      keys.insert(keys.end(), some.begin(), some.end());
      keys.push_back(0);
    }

  test::Device device;
  const auto d_keys = device.upload(keys);
  const auto d_cases = device.upload(cases);
  const auto d_counts = device.poisoned<std::uint32_t>(static_cast<std::int64_t>(cases.size()));
  count_kernel<<<static_cast<unsigned>(cases.size() / 128 + 1), 128, 0, device.stream()>>>(
      d_keys.data(), d_cases.data(), static_cast<int>(cases.size()), d_counts.data());
  cuda::check_launch("count up to");
  const auto counts = device.download(d_counts);
  for (std::size_t i = 0; i < cases.size(); ++i)
    ASSERT_EQ(counts[i], right[i]) << cases[i].count << " keys, case " << i;
}

}  // namespace
}  // namespace kann
