// Judges rows in parallel and adds up the results.
#include "kann/accuracy.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "accuracy/judge.hpp"
#include "accuracy/judged_rows.hpp"
#include "accuracy/sample.hpp"
#include "accuracy/spatial_order.hpp"
#include "base/float_environment.hpp"
#include "base/parallel.hpp"

namespace kann {
namespace {

using accuracy::CellRow;
using accuracy::Extent;
using accuracy::Judge;
using accuracy::measure;
using accuracy::PlacedPoints;
using accuracy::row_of;
using accuracy::rows_by_cell;
using accuracy::sampled_queries;
using accuracy::Sides;
using accuracy::Tally;
__extension__ using Wide = __int128;

/// Refuses a periodic box unless the rows are exact: there are no bounds for the rounding of approximate ones.
void check_periodic(const AccuracyOptions& options, int dimensions) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::usage, "accuracy: a periodic box " + what);
  };
  if (!options.exact) refuse("needs rows that are exact");
  if (std::ssize(options.periodic) != dimensions)
    refuse("of " + std::to_string(options.periodic.size()) + " sides (points have " + std::to_string(dimensions) +
           " coordinates)");
  for (const double side : options.periodic)
    if (!(std::isfinite(side) && side >= 0))
      refuse("with a side of " + std::to_string(side) + " (need a finite one, 0 or more)");
}

void check(const Points& data, const Points& queries, const Neighbors& neighbors, const AccuracyOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::bad_input, "accuracy: " + what); };
  const auto text = [](auto number) { return std::to_string(number); };

  if (options.sample < 0)
    throw Error(ErrorKind::usage, "accuracy: a sample of " + text(options.sample) + " queries (need 0 or more)");
  if (options.radius && !(std::isfinite(*options.radius) && *options.radius >= 0))
    throw Error(ErrorKind::usage, "accuracy: a radius of " + text(*options.radius) + " (need a finite one, 0 or more)");
  if (!options.periodic.empty()) check_periodic(options, data.dimensions);
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

/// Reports the progress of all threads to the caller.
class Progress {
 public:
  Progress(const AccuracyOptions& options, std::int64_t work) : report_(options.on_progress), work_(work) {}

  void add(std::int64_t work) {
    const std::int64_t done = done_ += work;
    if (report_ && std::this_thread::get_id() == caller_)
      report_(static_cast<double>(done) / static_cast<double>(work_));
  }

 private:
  const std::function<void(double)>& report_;
  std::int64_t work_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::int64_t> done_{0};
};

/// Calls f(i, scratch, tally) for every i of [0, count), and returns the sum of the tallies. Each chunk has its own
/// tally, and these are summed in order, so that the result is the same, to the last bit, on any number of threads.
template <class F>
Tally sum_over(std::int64_t count, int threads, F&& f, const std::function<void(std::int64_t)>& done) {
  constexpr std::int64_t grain = 256;
  std::vector<Tally> tallies(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    Judge::Scratch scratch;
    for (std::int64_t i = begin; i < end; ++i) f(i, scratch, tallies[begin / grain]);
    done(end - begin);
  });
  Tally total;
  for (const Tally& tally : tallies) total.add(tally);
  return total;
}

}  // namespace

Accuracy accuracy::judge_rows(const JudgedRows& given, const AccuracyOptions& options) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  const int threads = base::thread_count(options.threads);
  Sides sides;
  std::copy(options.periodic.begin(), options.periodic.end(), sides.length.begin());
  const Extent extent = sides.any() ? measure(given.data) : Extent();
  const PlacedPoints in_data(given.data, PlacedPoints::Role::data, extent, sides);
  const PlacedPoints in_queries(given.queries, PlacedPoints::Role::queries, extent, sides);
  const Judge judge({in_data, in_queries, given.neighbors, given.stored, given.part}, options, sides, threads);
  const std::int64_t queries = given.queries.size();

  // A sample is judged in the order of its rows; all rows, in a spatial order that takes half the time.
  const bool samples = options.sample > 0;
  std::vector<std::int64_t> sample;
  Array<CellRow> rows;
  if (samples)
    sample = sampled_queries(judge.queries(), queries, options.sample);
  else
    rows = rows_by_cell(judge.queries(), queries, judge.query_extent(), threads);
  const auto row = [&](std::int64_t i) { return samples ? i : row_of(rows[i]); };
  const auto judged_row = [&](std::int64_t i) { return samples ? sample[i] : row_of(rows[i]); };
  const std::int64_t judged = samples ? static_cast<std::int64_t>(sample.size()) : queries;

  constexpr std::int64_t cost = 8;  // judging a row costs as much as this many checks of a row
  Progress progress(options, queries + cost * judged);
  Tally total = sum_over(
      queries, threads, [&](std::int64_t i, auto& scratch, Tally& tally) { judge.check(row(i), scratch, tally); },
      [&](std::int64_t done) { progress.add(done); });
  total.add(sum_over(
      judged, threads, [&](std::int64_t i, auto& scratch, Tally& tally) { judge.judge(judged_row(i), scratch, tally); },
      [&](std::int64_t done) { progress.add(cost * done); }));

  Accuracy out;
  out.judged = total.judged;
  out.expected = total.expected;
  if (total.expected > 0) out.recall = static_cast<double>(total.correct) / static_cast<double>(total.expected);
  if (total.ratios > 0) out.distance_ratio = total.ratio_sum / static_cast<double>(total.ratios);
  out.all_correct = total.all_correct;
  out.identical = total.identical;
  out.nearer = total.nearer;
  out.faulty = total.faulty;
  const auto given_row = [&](std::int64_t query) {
    return given.part ? given.part->query_rows[static_cast<std::size_t>(query)] : query;
  };
  if (total.first_nearer != Tally::k_none) out.first_nearer = given_row(total.first_nearer);
  if (total.first_different != Tally::k_none) out.first_different = given_row(total.first_different);
  if (total.first_faulty != Tally::k_none) {
    out.first_faulty = given_row(total.first_faulty);
    out.first_fault = judge.describe_fault(total.first_faulty);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options) {
  check(data, queries, neighbors, options);
  return accuracy::judge_rows({data, queries, neighbors}, options);
}

Accuracy compare(const Points& data, const Points& queries, const Neighbors& result, const Neighbors& reference,
                 const AccuracyOptions& options) {
  check(data, queries, result, options);
  check_reference(reference, queries.size(), data.size(), "the reference");
  return accuracy::judge_rows({data, queries, result, &reference}, options);
}

void check_reference(const Neighbors& reference, std::int64_t queries, std::int64_t points, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::bad_input, name + ": " + what); };
  const auto text = [](auto number) { return std::to_string(number); };
  if (reference.queries != queries)
    refuse("not a row per query (got " + text(reference.queries) + ", need " + text(queries) + ")");
  if (reference.k < 0 || reference.ids.size() != static_cast<Wide>(queries) * reference.k)
    refuse(text(queries) + " rows of " + text(reference.k) + " neighbours do not match " + text(reference.ids.size()) +
           " ids");
  for (std::size_t i = 0; i < reference.ids.size(); ++i)
    if (reference.ids[i] < k_missing_id || reference.ids[i] >= points)
      refuse("row " + text(static_cast<std::int64_t>(i) / reference.k) + " has id " + text(reference.ids[i]) +
             " (data has " + text(points) + " points)");
  std::vector<std::int32_t> row;
  for (std::int64_t query = 0; query < reference.queries; ++query) {
    const auto begin = reference.ids.begin() + query * reference.k;
    row.assign(begin, begin + reference.k);
    std::erase(row, k_missing_id);
    std::sort(row.begin(), row.end());
    if (const auto twice = std::adjacent_find(row.begin(), row.end()); twice != row.end())
      refuse("row " + text(query) + " has id " + text(*twice) + " twice");
  }
}

}  // namespace kann
