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
#include "flow/ranks/record.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/sources/point_picker.hpp"
#include "problem/survey.hpp"
#include "problem/valid_points.hpp"
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

/// What was found near a query, on its way to the rank that puts these together.
struct FoundNear {
  std::int64_t query;  ///< its number in the sample
  FoundPoint found;
};

template <class T>
Bytes bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

/// Calls f(value) for each value that any rank has sent.
template <class T, class F>
void for_each_sent(const std::vector<Bytes>& sent, F f) {
  for (const Bytes& bytes : sent) {
    RecordReader reader(bytes);
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) f(reader.take<T>());
  }
}

class Checking {
 public:
  Checking(const SampleCheck& check, const AccuracyOptions& options, Communicator& ranks)
      : check_(check),
        options_(options),
        ranks_(ranks),
        threads_(base::thread_count(options.threads)),
        queries_(check.queries ? *check.queries : check.data),
        facts_(check.data.dimensions(), check.data.size()) {}

  Accuracy run() {
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t sample = std::min(check_.sample, queries_.size());
    const base::MemoryCharge charge(check_.memory,
                                    static_cast<double>(sample) * accuracy::sample_bytes_per_query(check_.rows.k));
    pick_rows();
    look_at_data();
    const accuracy::CloudFacts facts = all_facts();
    std::vector<NumberedPoint> points = find_points(facts);
    Accuracy result;
    if (ranks_.rank() == 0) {
      AccuracyOptions options = options_;
      options.on_progress = nullptr;
      result = accuracy::judge_sample(rows_, std::move(points), facts, options);
    }
    result.seconds = base::seconds_since(start);
    return result;
  }

 private:
  /// Sets rows_ on all ranks. Each rank looks at the queries whose rows it has.
  void pick_rows() {
    const std::int64_t begin = check_.rows.first, end = begin + check_.rows.queries;
    const std::int64_t first_number = begin - invalid_before(begin, end);  // among the valid queries
    std::vector<std::int64_t> numbers =
        accuracy::sampled_numbers(queries_.size() - check_.query_skipped, check_.sample);
    numbers.erase(numbers.begin(), std::ranges::lower_bound(numbers, first_number));
    PointPicker picker(std::move(numbers), first_number);
    queries_.for_each_block(begin, end, k_read_points, [&](std::int64_t row, const PointsView& block) {
      if (check_.queries) facts_.add_queries(block);
      picker.add(row, block, check_.query_skipped > 0 ? block.size() : 0);
    });

    const std::vector<PickedPoint>& picked = picker.picked();
    const auto k = static_cast<std::size_t>(check_.rows.k), d = static_cast<std::size_t>(queries_.dimensions());
    accuracy::SampledRows own;
    own.k = check_.rows.k;
    std::vector<double> coordinates;
    for (const PickedPoint& query : picked) {
      own.numbers.push_back(query.row);
      coordinates.insert(coordinates.end(), query.point.begin(), query.point.begin() + static_cast<std::ptrdiff_t>(d));
    }
    auto next = own.numbers.begin();
    std::int64_t first = begin;
    check_.rows.for_each([&](const RowBlock& rows) {
      const auto last = first + static_cast<std::int64_t>(k > 0 ? rows.distances.size() / k : 0);
      for (; next != own.numbers.end() && *next < last; ++next) {
        const std::size_t at = static_cast<std::size_t>(*next - first) * k;
        for (std::size_t i = at; i < at + k; ++i) own.ids.push_back(rows.id(i));
        std::ranges::copy(rows.distances.subspan(at, k), std::back_inserter(own.distances));
      }
      first = last;
    });

    rows_.k = own.k;
    rows_.numbers = ranks_.gather_values(own.numbers);
    rows_.ids = ranks_.gather_values(own.ids);
    rows_.distances = ranks_.gather_values(own.distances);
    const std::vector<double> all = ranks_.gather_values(coordinates);
    rows_.queries = {queries_.dimensions(), Array<double>(all.begin(), all.end())};
  }

  /// How many queries before number `begin` are not valid.
  std::int64_t invalid_before(std::int64_t begin, std::int64_t end) {
    if (check_.query_skipped == 0) return 0;
    std::int64_t own = 0;
    queries_.for_each_block(begin, end, k_read_points, [&](std::int64_t, const PointsView& block) {
      own += problem::survey(block, threads_).invalid;
    });
    const std::vector<std::int64_t> all = ranks_.gather_value(own);
    std::int64_t before = 0;
    for (int rank = 0; rank < ranks_.rank(); ++rank) before += all[static_cast<std::size_t>(rank)];
    return before;
  }

  /// Calls f(row, points) for blocks of this rank's share of the data.
  template <class F>
  void for_each_of_share(std::int64_t most, F f) const {
    const std::int64_t n = check_.data.size();
    check_.data.for_each_block(share_begin(n, ranks_.size(), ranks_.rank()),
                               share_begin(n, ranks_.size(), ranks_.rank() + 1), most, f);
  }

  void look_at_data() {
    for_each_of_share(k_read_points, [&](std::int64_t row, const PointsView& block) { facts_.add_data(row, block); });
  }

  /// The facts about what all ranks have looked at.
  accuracy::CloudFacts all_facts() const {
    struct Extents {
      accuracy::Extent data, queries;
    };
    FactsOfBlocks all(check_.data.dimensions(), check_.data.size());
    for (const Extents& seen : ranks_.gather_value(Extents{facts_.data(), facts_.queries()}))
      all.add(seen.data, check_.queries ? seen.queries : seen.data, {});
    all.add({}, {}, ranks_.gather_values(facts_.sample()));
    return all.facts();
  }

  /// The points that the sample needs, on rank 0.
  std::vector<NumberedPoint> find_points(const accuracy::CloudFacts& facts) {
    const std::span<const std::int64_t> own = options_.self_query && !options_.include_self
                                                  ? std::span<const std::int64_t>(rows_.numbers)
                                                  : std::span<const std::int64_t>();
    const accuracy::Sides sides(options_.periodic);
    const std::int64_t most = block_points();
    const double held = static_cast<double>(std::min(most, check_.data.size() / ranks_.size() + 1)) * point_bytes();
    const base::MemoryCharge charge(check_.memory, held);
    NeededPoints needed(rows_.queries, own, rows_.ids, rows_.k, facts, sides, options_.sky.has_value(), threads_);
    const auto count = static_cast<double>(check_.data.size());
    for_each_of_share(most, [&](std::int64_t row, const PointsView& block) {
      needed.add(row, block);
      if (options_.on_progress) options_.on_progress(static_cast<double>(row + block.size()) / count);
    });

    // Each rank puts together what all have found for its share of the sample
    const std::int64_t n = rows_.queries.size();
    std::vector<Bytes> to(static_cast<std::size_t>(ranks_.size()));
    const auto share = [&](int rank) { return share_begin(n, ranks_.size(), rank); };
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      if (rank == ranks_.rank()) continue;
      std::vector<FoundNear> found;
      for (std::int64_t i = share(rank); i < share(rank + 1); ++i)
        for (const FoundPoint& point : needed.nearest_to(i)) found.push_back({i, point});
      to[static_cast<std::size_t>(rank)] = bytes_of<FoundNear>(found);
    }
    for_each_sent<FoundNear>(ranks_.exchange(std::move(to)),
                             [&](const FoundNear& near) { needed.add_nearest(near.query, near.found); });

    std::vector<NumberedPoint> points = needed.named_points();
    for (std::int64_t i = share(ranks_.rank()); i < share(ranks_.rank() + 1); ++i)
      for (const FoundPoint& found : needed.nearest_to(i)) points.push_back(found.point);
    std::vector<Bytes> to_first(static_cast<std::size_t>(ranks_.size()));
    to_first.front() = bytes_of<NumberedPoint>(std::exchange(points, {}));
    for_each_sent<NumberedPoint>(ranks_.exchange(std::move(to_first)),
                                 [&](const NumberedPoint& point) { points.push_back(point); });
    return points;
  }

  /// How many points of the data are looked at together: a query is searched faster in one tree than in two.
  std::int64_t block_points() const {
    const double rest = check_.budget - base::program_bytes(threads_, !ranks_.is_alone()) - k_judge_fixed -
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
  Communicator& ranks_;
  const int threads_;
  const PointSource& queries_;
  FactsOfBlocks facts_;         // about what this rank has looked at
  accuracy::SampledRows rows_;  // the rows of all ranks
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

Accuracy measure_sample(const SampleCheck& check, const AccuracyOptions& options, Communicator& ranks) {
  return Checking(check, options, ranks).run();
}

}  // namespace kann::flow
