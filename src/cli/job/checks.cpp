#include "cli/job/checks.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "kann/error.hpp"

#include "cli/report/summary.hpp"
#include "cli/report/verdict.hpp"
#include "cli/terminal/time_left.hpp"
#include "flow/rows/judge.hpp"
#include "products/accuracy/check_reference.hpp"

namespace kann::cli {

void Checks::open(const std::string& file) {
  job_.phase("read " + file);
  reference_.emplace(file);
}

void Checks::open_reference() {
  const auto& file = job_.options.compare;
  std::error_code ignored;
  if (file && !std::filesystem::is_other(*file, ignored)) open(*file);
}

void Checks::check_reference() {
  const auto& file = job_.options.compare;
  if (!file) return;
  if (!reference_) open(*file);
  claims_ = check_reference_meta(reference_->meta(), job_.options, job_.report, *file);
  job_.warn(claims_.warnings);
  accuracy::check_reference_rows(reference_->queries(), job_.report.query->points, *file);
  check_reference_size(reference_->k(), job_.options, job_.report, *file);
  check_ids(*file);
}

/// Refuses rows that cannot be, before the search.
void Checks::check_ids(const std::string& file) {
  constexpr std::int64_t values = 1 << 17;  // ids at a time: 1 MB
  const std::int64_t k = reference_->k(), at_once = std::max<std::int64_t>(1, values / std::max<std::int64_t>(1, k));
  std::vector<std::int64_t> ids;
  for (std::int64_t first = 0; first < reference_->queries(); first += at_once) {
    ids.resize(static_cast<std::size_t>(std::min(at_once, reference_->queries() - first) * k));
    reference_->read_ids(first, ids);
    accuracy::check_reference_ids(ids, k, first, job_.report.data->points, job_.options.search.images, file);
  }
}

void Checks::check_clouds_of_reference() {
  if (reference_) check_reference_meta(reference_->meta(), job_.options, job_.report, *job_.options.compare);
}

/// The result was written before, so that it is not lost if the program ends while judging it.
void Checks::make(const flow::Found& found, const std::optional<Groups>& groups) {
  groups_ = groups;
  try {
    const auto failed_verify = job_.options.verify ? verify(found) : std::nullopt;
    const auto failed_compare = job_.options.compare ? compare(found) : std::nullopt;
    if (failed_verify) throw Error(ErrorKind::check_failed, *failed_verify);
    if (failed_compare) throw Error(ErrorKind::check_failed, *failed_compare);
  } catch (const Error& error) {
    const Options& options = job_.options;
    if (!options.writes_result() || options.action == Action::check) throw;
    throw Error(error.kind(), fmt::format("{}; the result is in {} all the same", error.what(),
                                          options.output == "-" ? "stdout" : options.output));
  }
}

double Checks::judged_queries(const AccuracyOptions& options) const {
  const std::int64_t all = job_.report.search->query_points;
  return static_cast<double>(options.sample > 0 ? std::min(options.sample, all) : all);
}

AccuracyOptions Checks::accuracy_options(std::string_view check) {
  job_.phase(std::string(check));
  AccuracyOptions options;
  options.self_query = job_.options.self_query();
  options.include_self = job_.options.search.include_self;
  options.exact = job_.report.search->method == Method::exact;
  options.radius = job_.options.search.radius;
  options.periodic = job_.options.search.periodic;
  options.images = job_.options.search.images;
  options.sky = job_.options.search.sky;
  options.groups = groups_;
  options.threads = threads_;
  if (Progress* const progress = job_.messages.shown_progress())
    options.on_progress = [progress, count = judged_queries(options)](double fraction) {
      progress->update({fraction * count, count, JobContext::k_queries});
    };
  return options;
}

/// Does the check of --compare. Returns why it fails, if it does.
std::optional<std::string> Checks::compare(const flow::Found& found) {
  AccuracyOptions options = accuracy_options("compare");
  options.tolerance = claims_.tolerance;
  const SearchReport& search = *job_.report.search;
  const bool leaves_out_self = options.self_query && !options.include_self;
  const std::int64_t points = search.data_points - search.data_skipped - (leaves_out_self ? 1 : 0);
  const std::int64_t in_row =
      options.radius || groups_ ? 0
                                : std::max<std::int64_t>(0, std::min({job_.options.search.k, reference_->k(), points}));
  job_.report.comparison = {flow::compare(found, *reference_, *job_.options.compare, options),
                            search.query_points - search.query_skipped, reference_->k(), in_row, claims_.is_exact};
  if (Progress* const progress = job_.messages.progress()) progress->clear();
  const Comparison& comparison = *job_.report.comparison;
  if (comparison.accuracy.expected > 0) job_.messages.info(compare_line(job_.options, comparison));
  if (const auto message = compare_warning(job_.options, comparison)) job_.warn(*message);
  return failed_comparison(job_.options, comparison);
}

/// Does the check of --verify. Returns why it fails, if it does.
std::optional<std::string> Checks::verify(const flow::Found& found) {
  const SearchReport& search = *job_.report.search;
  AccuracyOptions options = accuracy_options("verify");
  options.sample = job_.options.verify_sample;
  Progress* const progress = job_.messages.progress();
  bool is_said = !progress || progress->is_shown();  // without a progress line, a long wait is announced once
  if (progress)
    options.on_progress = [&, count = judged_queries(options)](double fraction) {
      progress->update({fraction * count, count, JobContext::k_queries});
      constexpr double is_long = 10;
      const double left = progress->seconds_left();
      if (is_said || left < is_long) return;
      is_said = true;
      job_.messages.info("verify: " + duration_text(left) + " left; --verify N compares N queries");
    };
  job_.report.accuracy =
      flow::verify(found, found.query_count() - (search.query_points - search.query_skipped), options);
  if (progress) progress->clear();
  const Accuracy& accuracy = *job_.report.accuracy;
  if (accuracy.expected > 0)
    job_.messages.info(verify_line(job_.options, accuracy, search.query_points - search.query_skipped));
  job_.messages.detail("verify took " + measured_text(accuracy.seconds));
  if (const auto message = verify_warning(job_.options, accuracy)) job_.warn(*message);
  return failed_check(job_.options, accuracy);
}

}  // namespace kann::cli
