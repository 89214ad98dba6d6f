#include "accuracy/sample.hpp"

#include <algorithm>
#include <random>

namespace kann::accuracy {
namespace {

__extension__ using Wide = unsigned __int128;

/// A number below `n`, each as likely up to 2⁻³² for n < 2³². (The distributions of <random> differ between libraries;
/// its generators do not.)
std::int64_t below(std::int64_t n, std::mt19937_64& generator) {
  return static_cast<std::int64_t>(static_cast<Wide>(generator()) * static_cast<std::uint64_t>(n) >> 64);
}

}  // namespace

std::vector<std::int64_t> sampled_queries(const Coordinates& queries, std::int64_t query_count, std::int64_t count) {
  std::int64_t valid = 0;
  for (std::int64_t q = 0; q < query_count; ++q) valid += queries.is_finite(q);
  std::int64_t missing = std::min(count, valid);
  std::vector<std::int64_t> sample;
  sample.reserve(static_cast<std::size_t>(missing));
  std::mt19937_64 generator(0x6b616e6e);
  for (std::int64_t q = 0; missing > 0; ++q) {
    if (!queries.is_finite(q)) continue;
    if (below(valid--, generator) >= missing) continue;
    sample.push_back(q);
    --missing;
  }
  return sample;
}

}  // namespace kann::accuracy
