// The checks of a Job: --verify and --compare.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "kann/error.hpp"

#include "cli/job/job.hpp"
#include "cli/report/summary.hpp"
#include "cli/report/verdict.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {

/// The result was written before, so that it is not lost if the program ends while judging it.
void Job::check() {
  try {
    const auto failed_verify = options_.verify ? verify() : std::nullopt;
    const auto failed_compare = options_.compare ? compare() : std::nullopt;
    if (const auto unmet = ranks_.rank() > 0 ? std::nullopt : unmet_expectation())
      throw Error(ErrorKind::check_failed, *unmet);
    if (failed_verify) throw Error(ErrorKind::check_failed, *failed_verify);
    if (failed_compare) throw Error(ErrorKind::check_failed, *failed_compare);
  } catch (const Error& error) {
    if (!options_.writes_result()) throw;
    throw Error(error.kind(), fmt::format("{}; the result is in {} all the same", error.what(),
                                          options_.output == "-" ? "stdout" : options_.output));
  }
}

/// The first expectation of --expect that this run does not meet.
std::optional<std::string> Job::unmet_expectation() const {
  const SearchReport& s = *report_.search;
  const double queries = static_cast<double>(s.query_points);
  double judged = queries;
  const auto judge = [&judged](const Accuracy& a, std::int64_t in_row) {
    // A row for which only some neighbours are expected counts as a fraction of a row
    const double rows = in_row > 0 ? static_cast<double>(a.expected) / static_cast<double>(in_row) : judged;
    judged = a.expected == 0 ? 0 : std::min({judged, rows, static_cast<double>(a.judged)});
  };
  if (report_.accuracy) judge(*report_.accuracy, 0);
  if (report_.comparison) judge(report_.comparison->accuracy, report_.comparison->in_row);
  const double share = queries == 0 ? 0 : judged / queries;
  const std::pair<std::string_view, std::string> facts[] = {
      {"k", fmt::format("{}", options_.search.k)},
      {"radius", options_.search.radius ? fmt::format("{}", *options_.search.radius) : "none"},
      {"method", s.method == Method::exact ? "exact" : "shifted-sort"},
      {"dimensions", fmt::format("{}", s.dimensions)},
      {"periodic", options_.search.periodic.empty() ? "no" : "yes"},
      {"points", fmt::format("{}", s.data_points - s.data_skipped)},
      {"queries", fmt::format("{}", s.query_points - s.query_skipped)},
      {"include-self", options_.self_query() && options_.search.include_self ? "yes" : "no"},
      {"judged", fmt::format("{}", share)}};
  for (const Expectation& e : options_.expected)
    for (const auto& [name, value] : facts)
      if (name == e.name && !is_met(e, value))
        return fmt::format("--expect {}={}: this run has {} {}", e.name, e.value, e.name,
                           name == "judged" ? fmt::format("{} of all", std::floor(1e4 * share) / 1e4) : value);
  return {};
}

double Job::judged_queries(const AccuracyOptions& options) const {
  const std::int64_t all = report_.search->query_points;
  return static_cast<double>(options.sample > 0 ? std::min(options.sample, all) : all);
}

AccuracyOptions Job::accuracy_options(std::string_view check) {
  phase(std::string(check));
  AccuracyOptions options;
  options.self_query = options_.self_query();
  options.include_self = options_.search.include_self;
  options.exact = report_.search->method == Method::exact;
  options.radius = options_.search.radius;
  options.periodic = options_.search.periodic;
  options.threads = search_options_.threads;
  if (Progress* const progress = messages_.shown_progress())
    options.on_progress = [progress, count = judged_queries(options)](double fraction) {
      progress->update({fraction * count, count, k_queries});
    };
  return options;
}

/// Does the check of --compare. Returns why it fails, if it does.
std::optional<std::string> Job::compare() {
  AccuracyOptions options = accuracy_options("compare");
  options.tolerance = claims_.tolerance;
  const SearchReport& search = *report_.search;
  const bool leaves_out_self = options.self_query && !options.include_self;
  const std::int64_t points = search.data_points - search.data_skipped - (leaves_out_self ? 1 : 0);
  const std::int64_t in_row =
      options.radius ? 0 : std::max<std::int64_t>(0, std::min({options_.search.k, reference_.k, points}));
  report_.comparison = {kann::compare(data_->points(), queries(), neighbors_, reference_, options),
                        search.query_points - search.query_skipped,
                        reference_.k,
                        in_row,
                        claims_.is_exact,
                        claims_.is_silent};
  if (Progress* const progress = messages_.progress()) progress->clear();
  const Comparison& comparison = *report_.comparison;
  if (comparison.accuracy.expected > 0) messages_.info(compare_line(options_, comparison));
  if (const auto message = compare_warning(options_, comparison)) warn(*message);
  return failed_comparison(options_, comparison);
}

/// Does the check of --verify. Returns why it fails, if it does.
std::optional<std::string> Job::verify() {
  const SearchReport& search = *report_.search;
  AccuracyOptions options = accuracy_options("verify");
  options.sample = options_.verify_sample;
  Progress* const progress = messages_.progress();
  bool is_said = !progress || progress->is_shown();  // without a progress line, a long wait is announced once
  if (progress)
    options.on_progress = [&, count = judged_queries(options)](double fraction) {
      progress->update({fraction * count, count, k_queries});
      constexpr double is_long = 10;
      const double left = progress->seconds_left();
      if (is_said || left < is_long) return;
      is_said = true;
      messages_.info("verify: " + duration_text(left) + " left; --verify N compares N queries");
    };
  report_.accuracy = tiled_ ? tiled_->measure_sample(options.sample, options)
                            : measure_accuracy(data_->points(), queries(), neighbors_, options);
  if (progress) progress->clear();
  if (ranks_.rank() > 0) return {};  // rank 0 has judged the rows of all ranks

  const Accuracy& accuracy = *report_.accuracy;
  if (accuracy.expected > 0) messages_.info(verify_line(accuracy, search.query_points - search.query_skipped));
  messages_.detail("verify took " + measured_text(accuracy.seconds));
  if (const auto message = verify_warning(options_, search.method, accuracy)) warn(*message);
  return failed_check(options_, search.method, accuracy);
}

}  // namespace kann::cli
