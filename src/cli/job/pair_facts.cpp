#include "cli/job/pair_facts.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace kann::cli {

PairFacts pairs_of(const RowBlocks& rows) {
  PairFacts facts;
  if (rows.lists) {
    rows.lists->for_each_begins([&](std::span<const std::int64_t> begins) {
      for (const std::int64_t begin : begins) facts.queries += begin > std::exchange(facts.pairs, begin);
    });
    return facts;
  }
  rows.for_each([&](const Rows& block) {
    for (std::int64_t i = 0; i < std::ssize(block.distances); ++i) {
      const bool is_pair = block.id(static_cast<std::size_t>(i)) != k_missing_id;
      facts.pairs += is_pair;
      facts.queries += is_pair && i % rows.k == 0;
    }
  });
  return facts;
}

std::vector<std::uint8_t> left_out(const Options& options, const Rows& rows, const Array<std::uint8_t>* is_outlier) {
  const Join join = options.join.value_or(Join::left);
  if (join == Join::left && !options.drop_outliers) return {};
  std::vector<std::uint8_t> left(static_cast<std::size_t>(rows.count));
  for (std::int64_t query = 0; query < rows.count; ++query) {
    const auto place = static_cast<std::size_t>(query);
    const auto [begin, end] = rows.row(query);
    const bool has_pair = begin < end;
    left[place] = (join == Join::inner && !has_pair) || (join == Join::anti && has_pair) ||
                  (options.drop_outliers && (*is_outlier)[place] != 0);
  }
  return left;
}

}  // namespace kann::cli
