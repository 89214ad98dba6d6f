#include "search/run_periodic.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "problem/prepare.hpp"
#include "problem/survey.hpp"
#include "problem/valid_points.hpp"
#include "search/periodic/periodic_rows.hpp"
#include "search/radius.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

using Clock = std::chrono::steady_clock;

void add(StepSeconds& sum, const StepSeconds& part) {
  for (double StepSeconds::*const step :
       {&StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
        &StepSeconds::rank, &StepSeconds::boxes, &StepSeconds::select, &StepSeconds::rows, &StepSeconds::download})
    sum.*step += part.*step;
}

double sum_of(const StepSeconds& t) {
  return t.prepare + t.start_up + t.upload + t.encode + t.sort + t.rank + t.boxes + t.select + t.rows + t.download;
}

/// The searches that one in a periodic box is made of: all on the device that the first has taken.
class Searches {
 public:
  Searches(const Index& index, const SearchOptions& options) : index_(index), options_(options) {
    options_.method = Method::exact;
    options_.periodic.clear();
    options_.radius.reset();
    options_.on_rows = nullptr;
  }

  Neighbors of(const std::optional<PointsView>& queries) {
    return keep(queries ? index_.search(*queries, options_) : index_.search_self(options_));
  }

  Neighbors at(const Array<double>& positions, std::int64_t k) {
    SearchOptions options = options_;
    options.k = k;
    return keep(index_.search(PointsView(index_.dimensions(), positions), options));
  }

  SearchReport report;

 private:
  Neighbors keep(SearchResult result) {
    if (!std::exchange(has_searched_, true)) {
      report = std::move(result.report);
      report.warnings.clear();
      options_.device.kind = report.device.kind;
      options_.on_progress = nullptr;
    } else {
      add(report.steps, result.report.steps);
      report.device_peak_bytes = std::max(report.device_peak_bytes, result.report.device_peak_bytes);
    }
    return std::move(result.neighbors);
  }

  const Index& index_;
  SearchOptions options_;
  bool has_searched_ = false;
};

Neighbors missing_rows(std::int64_t queries, std::int64_t k) {
  Neighbors rows{queries, k, {}, {}};
  rows.ids.assign(static_cast<std::size_t>(queries * k), k_missing_id);
  rows.distances.assign(static_cast<std::size_t>(queries * k), std::numeric_limits<float>::infinity());
  return rows;
}

/// As keep_within(), by the distances in the box.
Within keep_within_box(double radius, const PeriodicRows& of, Neighbors& rows) {
  const WithinRadius is_within(radius);
  std::atomic<std::int64_t> total{0}, full{0};
  base::parallel_chunks(rows.queries, 4096, of.threads, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0, full_rows = 0;
    for (std::int64_t query = begin; query < end; ++query) {
      std::int32_t* const ids = rows.ids.data() + query * rows.k;
      float* const distances = rows.distances.data() + query * rows.k;
      const Position q = position_of(of.queries, query);
      std::int64_t kept = 0;
      for (std::int64_t r = 0; r < rows.k && ids[r] != k_missing_id; ++r) {
        if (!is_within(of.placement.box().difference(q, position_of(of.data, ids[r])))) continue;
        ids[kept] = ids[r];
        distances[kept++] = distances[r];
      }
      std::fill(ids + kept, ids + rows.k, k_missing_id);
      std::fill(distances + kept, distances + rows.k, std::numeric_limits<float>::infinity());
      sum += kept;
      full_rows += kept == rows.k;
    }
    total += sum;
    full += full_rows;
  });
  return {total, full};
}

}  // namespace

SearchResult run_periodic(const PointsView& data, const Index* index, const std::optional<PointsView>& query_points,
                          const IndexOptions& of_data, const SearchOptions& options) {
  const base::DefaultFloatEnvironment environment;
  const auto start = Clock::now();
  const PointsView& queries = query_points ? *query_points : data;
  problem::check_request(data, of_data.data_name, queries, options);
  const int threads = base::thread_count(options.threads);
  const problem::Survey data_survey = problem::checked_survey(data, of_data.data_name, of_data.invalid, threads);
  const problem::Survey query_survey =
      query_points ? problem::checked_survey(queries, options.query_name, options.invalid, threads) : data_survey;
  problem::check_width(data_survey, query_survey,
                       query_points ? of_data.data_name + " and " + options.query_name : of_data.data_name,
                       data.dimensions);

  const Placement placement(PeriodicBox(options.periodic), data, data_survey, queries, query_survey, threads);
  std::optional<Index> own;
  if (!index || placement.moves_data()) index = &own.emplace(placement.data(), of_data);
  Searches searches(*index, options);
  PeriodicRows periodic{placement,
                        data,
                        queries,
                        data_survey.valid,
                        !query_points && !options.include_self,
                        threads,
                        [&](const Array<double>& at, std::int64_t k) { return searches.at(at, k); }};

  std::vector<std::int64_t> valid;
  valid.reserve(static_cast<std::size_t>(query_survey.valid));
  for (std::int64_t i = 0; i < queries.size(); ++i)
    if (query_survey.invalid == 0 || problem::is_valid(queries, i)) valid.push_back(i);
  std::atomic<bool> are_given{true};
  base::parallel_for(std::ssize(valid), threads, [&](std::int64_t i) {
    if (!placement.place(position_of(queries, valid[i])).is_given) are_given = false;
  });

  SearchResult result;
  if (are_given || data_survey.valid == 0) {
    result.neighbors = searches.of(query_points);
    periodic.mend(valid, result.neighbors);
  } else {
    result.neighbors = missing_rows(queries.size(), options.k);
    periodic.fill(valid, result.neighbors);
  }

  SearchReport& report = result.report;
  report = std::move(searches.report);
  report.data_points = data.size();
  report.query_points = queries.size();
  report.data_skipped = data_survey.invalid;
  report.query_skipped = query_survey.invalid;
  report.dimensions = data.dimensions;
  report.warnings = periodic_warnings({options.k, data_survey.valid, query_survey.valid, periodic.drop_self,
                                       data_survey.invalid > 0, of_data.data_name},
                                      result.neighbors);
  if (options.radius) {
    const Within within = keep_within_box(*options.radius, periodic, result.neighbors);
    report.within_radius = within.neighbors;
    report.full_rows = within.full_rows;
  }
  report.total_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report.steps.rows += std::max(0.0, report.total_seconds - sum_of(report.steps));
  return result;
}

}  // namespace kann::detail
