#include "flow/rows/sample_check.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/nearest_in_balls.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::flow {
namespace {

/// Bytes of what a check takes whatever the sample is: mostly two blocks of points.
constexpr double k_judge_fixed = 6e6;

/// Points of a cloud that comes in blocks, picked by number, with their rows in it.
class PickedPoints {
 public:
  /// @param numbers ascending
  explicit PickedPoints(int dimensions, std::vector<std::int64_t> numbers)
      : dimensions_(dimensions), numbers_(std::move(numbers)) {}

  /// Looks for the next numbers among the points of a block, whose first is in row `row`. If `are_some_invalid`, the
  /// valid points are numbered; otherwise all are.
  void add(std::int64_t row, const PointsView& block, bool are_some_invalid) {
    if (!are_some_invalid) return add_range(row, block, 0, block.size());
    for (std::int64_t i = 0; i < block.size(); ++i)
      if (block.is_finite(i)) add_range(row, block, i, i + 1);
  }

  std::span<const std::int64_t> rows() const { return rows_; }
  PointsView points() const { return {dimensions_, std::span<const double>(coordinates_)}; }

 private:
  void add_range(std::int64_t row, const PointsView& block, std::int64_t begin, std::int64_t end) {
    for (; rows_.size() < numbers_.size() && numbers_[rows_.size()] < number_ + end - begin;) {
      const std::int64_t i = begin + numbers_[rows_.size()] - number_;
      rows_.push_back(row + i);
      for (int a = 0; a < dimensions_; ++a) coordinates_.push_back(block.at(i, a));
    }
    number_ += end - begin;
  }

  const int dimensions_;
  const std::vector<std::int64_t> numbers_;
  std::int64_t number_ = 0;  // of the next point
  std::vector<std::int64_t> rows_;
  std::vector<double> coordinates_;
};

/// Bytes of memory per query of a sample. Its k points are named by their ids, in their order by their rows, and have
/// coordinates as given and where they are judged; if a row is wrong, a tree of them takes 60 bytes each.
double bytes_per_query(std::int64_t k) {
  const auto row = static_cast<double>(k);
  return row * (2 * 8.0 + 4 + 8 + 2 * 24.0 + 60) + 8 + 2 * 24.0 + 24 + accuracy::NearestInBalls::bytes_per_query(row);
}

}  // namespace

double judging_bytes(std::int64_t rows, std::int64_t k) {
  return k_judge_fixed + static_cast<double>(rows) * bytes_per_query(k);
}

std::int64_t most_judged(double budget, std::int64_t k) {
  const double most = (budget - k_judge_fixed) / bytes_per_query(k);
  return static_cast<std::int64_t>(
      std::clamp(most, 0.0, static_cast<double>(std::numeric_limits<std::int32_t>::max())));
}

Accuracy measure_sample(const SampleCheck& check, const AccuracyOptions& given) {
  const PointSource &data = check.data, &queries = check.queries ? *check.queries : data;
  const int dimensions = data.dimensions(), threads = base::thread_count(given.threads);
  const std::int64_t sample = std::min(check.sample, queries.size()), k = check.rows.k;
  const base::MemoryCharge charge(check.memory, static_cast<double>(sample) * bytes_per_query(k));

  accuracy::FactsOfBlocks facts(dimensions, data.size());
  PickedPoints sampled(dimensions, accuracy::sampled_numbers(queries.size() - check.query_skipped, check.sample));
  queries.for_each_block(0, queries.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    if (check.queries) facts.add_queries(block);
    sampled.add(row, block, check.query_skipped > 0);
  });

  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  auto next = sampled.rows().begin();
  check.rows.for_each([&](const Rows& rows) {
    for (; next != sampled.rows().end() && *next < rows.first + rows.count; ++next) {
      const auto at = static_cast<std::size_t>((*next - rows.first) * k), end = at + static_cast<std::size_t>(k);
      for (std::size_t i = at; i < end; ++i) ids.push_back(rows.id(i));
      std::ranges::copy(rows.distances.subspan(at, end - at), std::back_inserter(distances));
    }
  });

  std::vector<std::int64_t> names = ids;
  std::erase(names, k_missing_id);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  PickedPoints named(dimensions, std::move(names));
  data.for_each_block(0, data.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    facts.add_data(row, block);
    named.add(row, block, false);
  });
  if (!check.queries) facts.set_queries_to_data();

  AccuracyOptions options = given;
  options.sample = 0;
  options.on_progress = nullptr;
  const std::int64_t count = sampled.points().size();
  accuracy::AccuracyOfBlocks judged(facts.facts(), dimensions, count, options);
  const Rows rows{0, count, k, {}, std::span<const std::int64_t>(ids), distances};
  const accuracy::JudgedClouds clouds =
      judged.clouds_of({named.points(), sampled.points(), rows, {}, named.rows(), sampled.rows()});
  accuracy::NearestInBalls balls(clouds, threads);
  data.for_each_block(0, data.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    balls.add(row, block);
    if (given.on_progress)
      given.on_progress(static_cast<double>(row + block.size()) / static_cast<double>(data.size()));
  });
  judged.add(clouds, [&](std::int64_t query, auto& nearest) { balls.find(query, nearest); });
  return judged.result();
}

}  // namespace kann::flow
