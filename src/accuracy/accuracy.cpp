// Judges rows in parallel and adds up the results.
#include "kann/accuracy.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "accuracy/judge.hpp"
#include "base/float_environment.hpp"
#include "base/parallel.hpp"

namespace kann {
namespace {

using accuracy::Judge;
using accuracy::Tally;
__extension__ using Wide = __int128;

void check(const Points& data, const Points& queries, const Neighbors& neighbors, const AccuracyOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::bad_input, "accuracy: " + what); };
  const auto text = [](auto number) { return std::to_string(number); };

  if (options.sample < 0)
    throw Error(ErrorKind::usage, "accuracy: a sample of " + text(options.sample) + " queries (need 0 or more)");
  for (const Points* points : {&data, &queries})
    if (points->dimensions != 2 && points->dimensions != 3)
      refuse("points have " + text(points->dimensions) + " coordinates (need 2 or 3)");
  if (data.dimensions != queries.dimensions)
    refuse("queries have " + text(queries.dimensions) + " coordinates (data has " + text(data.dimensions) + ")");
  if (data.size() > std::numeric_limits<std::int32_t>::max())
    refuse("too many points (got " + text(data.size()) + ", ids go to 2147483647)");
  if (options.self_query && queries.size() != data.size())
    refuse("a self-query of " + text(queries.size()) + " queries (data has " + text(data.size()) + " points)");
  if (neighbors.queries != queries.size())
    refuse("a result of " + text(neighbors.queries) + " rows (need " + text(queries.size()) + ", one a query)");
  const Wide values = static_cast<Wide>(neighbors.queries) * neighbors.k;
  if (neighbors.k < 0 || neighbors.ids.size() != values || neighbors.distances.size() != values)
    refuse(text(neighbors.queries) + " rows of " + text(neighbors.k) + " neighbours do not match " +
           text(neighbors.ids.size()) + " ids and " + text(neighbors.distances.size()) + " distances");
  for (std::size_t i = 0; i < neighbors.ids.size(); ++i)
    if (neighbors.ids[i] < k_missing_id || neighbors.ids[i] >= data.size())
      refuse("row " + text(static_cast<std::int64_t>(i) / neighbors.k) + " has id " + text(neighbors.ids[i]) +
             " (data has " + text(data.size()) + " points)");
}

/// The rows of `sample` valid queries, evenly spaced; of all valid queries if there are no more.
std::vector<std::int64_t> sampled_queries(const Judge& judge, std::int64_t queries, std::int64_t sample) {
  std::int64_t valid = 0;
  for (std::int64_t q = 0; q < queries; ++q) valid += judge.is_valid(q);
  const std::int64_t count = std::min(sample, valid);
  std::vector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(count));
  std::int64_t rank = 0, next = 0;  // positions among the valid queries: of q, and of the next to take
  for (std::int64_t q = 0; static_cast<std::int64_t>(rows.size()) < count; ++q) {
    if (!judge.is_valid(q) || rank++ != next) continue;
    rows.push_back(q);
    next = static_cast<std::int64_t>(static_cast<Wide>(rows.size()) * valid / count);
  }
  return rows;
}

}  // namespace

Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options) {
  const base::DefaultFloatEnvironment environment;
  check(data, queries, neighbors, options);
  const auto start = std::chrono::steady_clock::now();
  const Judge judge(data, queries, neighbors, options.self_query && !options.include_self);

  const bool samples = options.sample > 0;
  std::vector<std::int64_t> rows;
  if (samples) rows = sampled_queries(judge, queries.size(), options.sample);
  const std::int64_t count = samples ? static_cast<std::int64_t>(rows.size()) : queries.size();
  const int threads = base::thread_count(options.threads);
  // One tally per chunk, summed in order: the result is the same, to the last bit, on any number of threads.
  constexpr std::int64_t grain = 256;
  std::vector<Tally> tallies(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    Judge::Scratch scratch;
    for (std::int64_t i = begin; i < end; ++i) judge.judge(samples ? rows[i] : i, scratch, tallies[begin / grain]);
  });
  Tally total;
  for (const Tally& tally : tallies) total.add(tally);

  Accuracy out;
  out.judged = total.judged;
  out.all_correct = total.all_correct;
  if (total.expected > 0) out.recall = static_cast<double>(total.correct) / static_cast<double>(total.expected);
  if (total.ratios > 0) out.distance_ratio = total.ratio_sum / static_cast<double>(total.ratios);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace kann
