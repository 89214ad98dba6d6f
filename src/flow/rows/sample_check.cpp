#include "flow/rows/sample_check.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/sources/point_picker.hpp"
#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/judge_sample.hpp"
#include "products/accuracy/needed_points.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::flow {
namespace {

using accuracy::FactsOfBlocks;
using accuracy::FoundPoint;
using accuracy::NeededPoints;
using accuracy::NumberedPoint;

/// Bytes of what a check takes whatever the sample is.
constexpr double k_judge_fixed = 6e6;
constexpr std::int64_t k_read_points = 1 << 16;  // where a cloud is only looked at

class Checking {
 public:
  Checking(const SampleCheck& check, const AccuracyOptions& options)
      : check_(check),
        options_(options),
        threads_(base::thread_count(options.threads)),
        queries_(check.queries ? *check.queries : check.data),
        facts_(check.data.dimensions(), check.data.size()) {}

  Accuracy run() {
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t sample = std::min(check_.sample, queries_.size());
    const base::MemoryCharge charge(check_.memory,
                                    static_cast<double>(sample) * accuracy::sample_bytes_per_query(check_.rows.k));
    pick_rows();
    check_.data.for_each_block(0, check_.data.size(), k_read_points,
                               [&](std::int64_t row, const PointsView& block) { facts_.add_data(row, block); });
    if (!check_.queries) facts_.set_queries_to_data();
    const accuracy::CloudFacts facts = facts_.facts();
    std::vector<NumberedPoint> points = find_points(facts);
    AccuracyOptions judging = options_;
    judging.on_progress = nullptr;
    Accuracy result = accuracy::judge_sample(rows_, std::move(points), facts, judging);
    result.seconds = base::seconds_since(start);
    return result;
  }

 private:
  /// Sets rows_.
  void pick_rows() {
    PointPicker picker(accuracy::sampled_numbers(queries_.size() - check_.query_skipped, check_.sample));
    queries_.for_each_block(0, queries_.size(), k_read_points, [&](std::int64_t row, const PointsView& block) {
      if (check_.queries) facts_.add_queries(block);
      picker.add(row, block, check_.query_skipped > 0 ? block.size() : 0);
    });
    const auto k = static_cast<std::size_t>(check_.rows.k), d = static_cast<std::size_t>(queries_.dimensions());
    rows_.k = check_.rows.k;
    Array<double> coordinates;
    for (const PickedPoint& query : picker.picked()) {
      rows_.numbers.push_back(query.row);
      coordinates.insert(coordinates.end(), query.point.begin(), query.point.begin() + static_cast<std::ptrdiff_t>(d));
    }
    rows_.queries = {queries_.dimensions(), std::move(coordinates)};
    auto next = rows_.numbers.begin();
    check_.rows.for_each([&](const Rows& rows) {
      for (; next != rows_.numbers.end() && *next < rows.first + rows.count; ++next) {
        const std::size_t at = static_cast<std::size_t>(*next - rows.first) * k;
        for (std::size_t i = at; i < at + k; ++i) rows_.ids.push_back(rows.id(i));
        std::ranges::copy(rows.distances.subspan(at, k), std::back_inserter(rows_.distances));
      }
    });
  }

  /// The points that the sample needs.
  std::vector<NumberedPoint> find_points(const accuracy::CloudFacts& facts) {
    const std::span<const std::int64_t> own = options_.self_query && !options_.include_self
                                                  ? std::span<const std::int64_t>(rows_.numbers)
                                                  : std::span<const std::int64_t>();
    const accuracy::Sides sides(options_.periodic);
    const std::int64_t most = block_points();
    const double held = static_cast<double>(std::min(most, check_.data.size() + 1)) * point_bytes();
    const base::MemoryCharge charge(check_.memory, held);
    NeededPoints needed(rows_.queries, own, rows_.ids, rows_.k, facts, sides, options_.sky.has_value(), threads_);
    const auto count = static_cast<double>(check_.data.size());
    check_.data.for_each_block(0, check_.data.size(), most, [&](std::int64_t row, const PointsView& block) {
      needed.add(row, block);
      if (options_.on_progress) options_.on_progress(static_cast<double>(row + block.size()) / count);
    });
    std::vector<NumberedPoint> points = needed.named_points();
    for (std::int64_t i = 0; i < rows_.queries.size(); ++i)
      for (const FoundPoint& found : needed.nearest_to(i)) points.push_back(found.point);
    return points;
  }

  /// How many points of the data are looked at together: a query is searched faster in one tree than in two.
  std::int64_t block_points() const {
    const double rest = check_.budget - base::program_bytes(threads_, check_.has_ranks) - k_judge_fixed -
                        static_cast<double>(rows_.queries.size()) * accuracy::sample_bytes_per_query(rows_.k);
    return static_cast<std::int64_t>(std::clamp(rest / point_bytes(), 4096.0, 0x1p30));
  }

  /// Bytes per point of blocks that are looked at, with the one that is read meanwhile.
  double point_bytes() const {
    const bool are_moved = accuracy::Sides(options_.periodic).any() || options_.sky;
    return static_cast<double>(NeededPoints::bytes_per_point(are_moved)) + 2.0 * sizeof(double) * queries_.dimensions();
  }

  const SampleCheck& check_;
  const AccuracyOptions& options_;
  const int threads_;
  const PointSource& queries_;
  FactsOfBlocks facts_;
  accuracy::SampledRows rows_;
};

}  // namespace

double judging_bytes(std::int64_t rows, std::int64_t k) {
  return k_judge_fixed + 2 * static_cast<double>(rows) * accuracy::sample_bytes_per_query(k);  // half is left to blocks
}

std::int64_t most_judged(double budget, std::int64_t k) {
  const double most = (budget - k_judge_fixed) / 2 / accuracy::sample_bytes_per_query(k);
  return static_cast<std::int64_t>(
      std::clamp(most, 0.0, static_cast<double>(std::numeric_limits<std::int32_t>::max())));
}

Accuracy measure_sample(const SampleCheck& check, const AccuracyOptions& options) {
  return Checking(check, options).run();
}

}  // namespace kann::flow
