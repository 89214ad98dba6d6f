#include "products/accuracy/accuracy_of_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "products/accuracy/spatial_order.hpp"

namespace kann::accuracy {
namespace {

[[noreturn]] void refuse_options(const std::string& what) { throw Error(ErrorKind::usage, "accuracy: " + what); }

/// Refuses a periodic box unless the rows are exact: there are no bounds for the rounding of approximate ones.
void check_periodic(const AccuracyOptions& options, int dimensions) {
  if (!options.exact) refuse_options("a periodic box needs rows that are exact");
  SearchOptions search;
  search.periodic = options.periodic;
  search.images = options.images;
  check_options(search);
  const std::int64_t numbers = std::ssize(options.periodic);
  if (numbers != dimensions && (numbers <= 3 || dimensions != 3))
    refuse_options("a periodic box of " + std::to_string(numbers) + " numbers (points have " +
                   std::to_string(dimensions) + " coordinates)");
}

AccuracyOptions checked(const AccuracyOptions& options, int dimensions) {
  if (options.sample < 0) refuse_options("a sample of " + std::to_string(options.sample) + " queries (need 0 or more)");
  if (options.radius && !(std::isfinite(*options.radius) && *options.radius >= 0))
    refuse_options("a radius of " + std::to_string(*options.radius) + " (need a finite one, 0 or more)");
  if (!options.periodic.empty() || options.images == Images::all) check_periodic(options, dimensions);
  if (options.sky && !options.exact) refuse_options("the sky needs rows that are exact");
  if (options.groups && !options.exact) refuse_options("groups need rows that are exact");
  return options;
}

}  // namespace

AccuracyOfBlocks::AccuracyOfBlocks(const CloudFacts& facts, int dimensions, std::int64_t queries,
                                   const AccuracyOptions& options)
    : options_(checked(options, dimensions)),
      threads_(base::thread_count(options.threads)),
      placement_(facts, dimensions, options),
      queries_(queries) {
  if (options.sample > 0) sample_.emplace(facts.queries.valid, options.sample);
}

JudgedClouds AccuracyOfBlocks::clouds_of(const JudgedRows& rows) const {
  const std::int64_t values = (rows.data.size() + rows.queries.size()) * rows.data.dimensions;
  if (placement_.cell.any())
    base::check_host_memory(8.0 * static_cast<double>(values), "the clouds in the periodic box");
  return {placement_, rows, options_};
}

void AccuracyOfBlocks::add(const JudgedClouds& clouds, const Truth& truth) {
  const base::DefaultFloatEnvironment environment;
  const JudgedRows& given = clouds.rows();
  const std::optional<Rows>& reference = given.reference;
  const std::int64_t count = given.queries.size(), k = given.rows.k;
  const RowRules rules{.exact = options_.exact,
                       .has_radius = options_.radius.has_value(),
                       .has_images = options_.images == Images::all,
                       .unit = {1 / placement_.scale, options_.sky}};

  // A sample is judged in the order of its rows; all rows, in a spatial order that takes half the time.
  std::vector<bool> is_judged(static_cast<std::size_t>(count), !sample_);
  Array<CellRow> order;
  if (!sample_)
    order = rows_by_cell(clouds.queries(), count, placement_.facts.queries.scaled(placement_.scale), threads_);
  else
    for (const std::int64_t row : sample_->next_rows(clouds.queries(), count))
      is_judged[static_cast<std::size_t>(row)] = true;

  std::mutex guard;
  std::atomic<std::int64_t> done{queries_done_};
  const std::thread::id caller = std::this_thread::get_id();
  base::parallel_chunks(count, 256, threads_, [&](std::int64_t begin, std::int64_t end) {
    Judge judge(rules, reference ? std::min(k, reference->k) : k, options_.tolerance);
    JudgedRow row, stored;
    std::vector<Nearest> nearest;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t query = sample_ ? i : row_of(order[i]);
      clouds.describe(query, given.rows, row);
      judge.check(row);
      if (!row.is_valid || !is_judged[static_cast<std::size_t>(query)]) continue;
      if (reference) {
        clouds.describe(query, *reference, stored);
        judge.compare(row, stored);
      } else {
        truth(query, nearest);
        judge.judge(row, nearest);
      }
    }
    {
      const std::lock_guard lock(guard);
      total_.add(judge.tally());
    }
    const auto all = static_cast<double>(done += end - begin);
    if (options_.on_progress && std::this_thread::get_id() == caller)
      options_.on_progress(all / static_cast<double>(queries_));
  });
  queries_done_ += count;
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
  out.first_fault = total_.first_fault;
  out.seconds = base::seconds_since(start_);
  return out;
}

}  // namespace kann::accuracy
