#include "products/accuracy/sample.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <set>

namespace kann::accuracy {
namespace {

__extension__ using Wide = unsigned __int128;

/// A number below `n`; for n < 2³², all are equally likely up to 2⁻³². (The distributions of <random> differ between
/// libraries; its generators do not.)
std::int64_t below(std::int64_t n, std::mt19937_64& generator) {
  return static_cast<std::int64_t>(static_cast<Wide>(generator()) * static_cast<std::uint64_t>(n) >> 64);
}

/// Knuth's Algorithm S, which looks at each number.
std::vector<std::int64_t> select_each(std::int64_t n, std::int64_t count, std::mt19937_64& generator) {
  std::vector<std::int64_t> sample;
  sample.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; std::ssize(sample) < count; ++i)
    if (below(n - i, generator) < count - std::ssize(sample)) sample.push_back(i);
  return sample;
}

/// Floyd's algorithm, which draws one number at a time.
std::vector<std::int64_t> select_some(std::int64_t n, std::int64_t count, std::mt19937_64& generator) {
  std::set<std::int64_t> sample;
  for (std::int64_t last = n - count; last < n; ++last)
    if (!sample.insert(below(last + 1, generator)).second) sample.insert(last);
  return {sample.begin(), sample.end()};
}

}  // namespace

std::vector<std::int64_t> sampled_numbers(std::int64_t n, std::int64_t count) {
  std::mt19937_64 generator(0x6b616e6e);
  const bool looks_at_each = n <= std::numeric_limits<std::int32_t>::max();
  return (looks_at_each ? select_each : select_some)(n, std::min(count, n), generator);
}

std::vector<std::int64_t> QuerySample::next_rows(const Coordinates& queries, std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t q = 0; q < count && next_ < numbers_.size(); ++q) {
    if (!queries.is_finite(q) || number_++ != numbers_[next_]) continue;
    rows.push_back(q);
    ++next_;
  }
  return rows;
}

}  // namespace kann::accuracy
