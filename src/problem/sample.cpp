#include "problem/sample.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_set>

namespace kann::problem {

std::vector<std::int64_t> sample_numbers(std::int64_t count, std::int64_t size) {
  std::vector<std::int64_t> sample(static_cast<std::size_t>(std::min(count, size)));
  if (count <= size) {
    std::iota(sample.begin(), sample.end(), 0);
    return sample;
  }
  std::mt19937_64 generator(0x73616d706c65);
  std::unordered_set<std::int64_t> taken;
  sample.clear();
  for (std::int64_t last = count - size; last < count; ++last) {
    // The distributions of <random> differ between libraries; its generators do not
    auto number = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(last + 1));
    if (!taken.insert(number).second) taken.insert(number = last);
    sample.push_back(number);
  }
  std::ranges::sort(sample);
  return sample;
}

}  // namespace kann::problem
