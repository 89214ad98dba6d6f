#include "products/accuracy/accuracy_of_blocks.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "products/accuracy/spatial_order.hpp"

namespace kann::accuracy {
namespace {

using Role = PlacedPoints::Role;

[[noreturn]] void refuse_options(const std::string& what) { throw Error(ErrorKind::usage, "accuracy: " + what); }

/// Refuses a periodic box unless the rows are exact: there are no bounds for the rounding of approximate ones.
void check_periodic(const AccuracyOptions& options, int dimensions) {
  if (!options.exact) refuse_options("a periodic box needs rows that are exact");
  if (std::ssize(options.periodic) != dimensions)
    refuse_options("a periodic box of " + std::to_string(options.periodic.size()) + " sides (points have " +
                   std::to_string(dimensions) + " coordinates)");
  for (const double side : options.periodic)
    if (!(std::isfinite(side) && side >= 0))
      refuse_options("a periodic box with a side of " + std::to_string(side) + " (need a finite one, 0 or more)");
}

AccuracyOptions checked(const AccuracyOptions& options, int dimensions) {
  if (options.sample < 0) refuse_options("a sample of " + std::to_string(options.sample) + " queries (need 0 or more)");
  if (options.radius && !(std::isfinite(*options.radius) && *options.radius >= 0))
    refuse_options("a radius of " + std::to_string(*options.radius) + " (need a finite one, 0 or more)");
  if (!options.periodic.empty()) check_periodic(options, dimensions);
  if (options.sky && !options.exact) refuse_options("the sky needs rows that are exact");
  if (options.groups && !options.exact) refuse_options("groups need rows that are exact");
  return options;
}

/// Reports the progress of all threads to the caller.
class Progress {
 public:
  /// @param work in this block @param report called with the fraction of it that is done; may be empty
  Progress(std::int64_t work, std::function<void(double)> report) : report_(std::move(report)), work_(work) {}

  void add(std::int64_t work) {
    const std::int64_t done = done_ += work;
    if (report_ && std::this_thread::get_id() == caller_)
      report_(static_cast<double>(done) / static_cast<double>(work_));
  }

 private:
  std::function<void(double)> report_;
  std::int64_t work_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::int64_t> done_{0};
};

/// Calls f(i, scratch, tally) for every i of [0, count), and adds the tallies to `total`.
template <class F>
void sum_over(std::int64_t count, int threads, Tally& total, F&& f, const std::function<void(std::int64_t)>& done) {
  std::mutex guard;
  base::parallel_chunks(count, 256, threads, [&](std::int64_t begin, std::int64_t end) {
    Judge::Scratch scratch;
    Tally tally;
    for (std::int64_t i = begin; i < end; ++i) f(i, scratch, tally);
    {
      const std::lock_guard lock(guard);
      total.add(tally);
    }
    done(end - begin);
  });
}

}  // namespace

AccuracyOfBlocks::AccuracyOfBlocks(const CloudFacts& facts, int dimensions, std::int64_t queries,
                                   const AccuracyOptions& options)
    : options_(checked(options, dimensions)),
      threads_(base::thread_count(options.threads)),
      sides_(options.periodic),
      data_as_given_(facts.data),
      facts_(placed_facts(facts, sides_, options.sky.has_value())),
      queries_(queries) {
  if (options.sample > 0) sample_.emplace(facts.queries.valid, options.sample);
}

void AccuracyOfBlocks::add(const JudgedRows& given) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  const bool is_sky = options_.sky.has_value();
  const PlacedPoints data(given.data, Role::data, data_as_given_, sides_, is_sky);
  const PlacedPoints queries(given.queries, Role::queries, data_as_given_, sides_, is_sky);
  const Judge judge({data, queries, given.neighbors, given.stored, given.part}, facts_, options_, sides_, threads_);
  const std::int64_t count = given.queries.size();

  // A sample is judged in the order of its rows; all rows, in a spatial order that takes half the time.
  std::vector<std::int64_t> sample;
  Array<CellRow> rows;
  if (sample_)
    sample = sample_->next_rows(judge.queries(), count);
  else
    rows = rows_by_cell(judge.queries(), count, judge.query_extent(), threads_);
  const auto row = [&](std::int64_t i) { return sample_ ? i : row_of(rows[i]); };
  const auto judged_row = [&](std::int64_t i) { return sample_ ? sample[i] : row_of(rows[i]); };
  const std::int64_t judged = sample_ ? std::ssize(sample) : count;

  constexpr std::int64_t cost = 8;  // judging a row costs as much as this many checks of a row
  std::function<void(double)> report;
  if (options_.on_progress)
    report = [&](double fraction) {
      options_.on_progress((static_cast<double>(queries_done_) + fraction * static_cast<double>(count)) /
                           static_cast<double>(queries_));
    };
  Progress progress(count + cost * judged, std::move(report));
  Tally tally;
  sum_over(
      count, threads_, tally, [&](std::int64_t i, auto& scratch, Tally& some) { judge.check(row(i), scratch, some); },
      [&](std::int64_t done) { progress.add(done); });
  sum_over(
      judged, threads_, tally,
      [&](std::int64_t i, auto& scratch, Tally& some) { judge.judge(judged_row(i), scratch, some); },
      [&](std::int64_t done) { progress.add(cost * done); });

  const std::int64_t faulty = tally.first_faulty;
  if (given.part)
    for (std::int64_t* const query : {&tally.first_nearer, &tally.first_different, &tally.first_faulty})
      if (*query != Tally::k_none) *query = given.part->query_rows[static_cast<std::size_t>(*query)];
  if (tally.first_faulty < total_.first_faulty) first_fault_ = judge.describe_fault(faulty);
  total_.add(tally);
  queries_done_ += count;
  seconds_ += base::seconds_since(start);
}

Accuracy AccuracyOfBlocks::result() const {
  const auto row = [](std::int64_t first) { return first == Tally::k_none ? -1 : first; };
  Accuracy out;
  out.judged = total_.judged;
  out.expected = total_.expected;
  if (total_.expected > 0) out.recall = static_cast<double>(total_.correct) / static_cast<double>(total_.expected);
  if (total_.ratios > 0) out.distance_ratio = total_.ratio_sum.rounded() / static_cast<double>(total_.ratios);
  out.all_correct = total_.all_correct;
  out.identical = total_.identical;
  out.first_different = row(total_.first_different);
  out.nearer = total_.nearer;
  out.first_nearer = row(total_.first_nearer);
  out.faulty = total_.faulty;
  out.first_faulty = row(total_.first_faulty);
  out.first_fault = first_fault_;
  out.seconds = seconds_;
  return out;
}

}  // namespace kann::accuracy
