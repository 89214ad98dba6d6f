#include "cli/job.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <future>
#include <memory>
#include <string>
#include <unistd.h>

#include "kann/accuracy.hpp"
#include "kann/io.hpp"
#include "kann/search.hpp"

#include "base/start_threads.hpp"
#include "cli/background.hpp"
#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/log.hpp"
#include "cli/output_path.hpp"
#include "cli/progress.hpp"
#include "cli/publish_report.hpp"
#include "cli/read_cloud.hpp"
#include "cli/summary.hpp"
#include "cli/time_left.hpp"
#include "cli/verdict.hpp"
#include "io/files/output_file.hpp"

namespace kann::cli {
namespace {

/// Adds the time from its construction to its destruction to a number of seconds.
class ScopedTimer {
 public:
  explicit ScopedTimer(std::optional<double>& seconds) : seconds_(seconds.emplace(seconds.value_or(0))) {}
  ~ScopedTimer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The steps of a run, in the order in which run() calls them.
class Job {
 public:
  /// Starts the device, as that takes longest.
  Job(const Options& options, Report& report)
      : options_(options), report_(report), progress_(shows_progress(options)), search_options_(options.search) {
    if (options.search.device.kind != DeviceKind::cpu)
      search_options_.start_up = in_background([asked = options.search] { return start_device(asked); });
  }

  void start_threads();
  void read_clouds();
  void search(NeighborFile& file);
  void write(NeighborFile& file);
  void summarise() const;
  void verify();

 private:
  void judge();
  static bool shows_progress(const Options& o) {
    return o.progress == When::always || (o.progress == When::automatic && !o.quiet && stderr_is_terminal());
  }
  Points take_points(const std::string& path, ReadCloud read, std::optional<CloudFacts>& facts);
  void warn(const std::string& message);
  const Points& queries() const { return options_.self_query() ? data_ : query_points_; }

  const Options& options_;
  Report& report_;
  Progress progress_;
  SearchOptions search_options_;
  Points data_, query_points_;
  Neighbors neighbors_;
};

/// Logs a warning and adds it to the report; the second time, does nothing.
void Job::warn(const std::string& message) {
  if (std::ranges::find(report_.warnings, message) != report_.warnings.end()) return;
  report_.warnings.push_back(message);
  progress_.clear();
  log_warning(message);
}

/// Logs the warnings of a cloud, fills in its facts and returns its points.
Points Job::take_points(const std::string& path, ReadCloud read, std::optional<CloudFacts>& facts) {
  for (const std::string& message : read.cloud.warnings) warn(message);
  facts = CloudFacts{path, read.cloud.points.size(), read.cloud.points.dimensions, std::move(read.cloud.columns)};
  return std::move(read.cloud.points);
}

/// Called before any file is read, so that a run which cannot have its threads fails at once.
void Job::start_threads() {
  const base::StartedThreads threads = base::start_threads(options_.search.threads);
  search_options_.threads = threads.count;
  if (threads.count < threads.wanted)
    warn(fmt::format("not all of {} threads can be started (address space, or a limit on processes); {} do the work",
                     threads.wanted, threads.count));
}

/// Messages about the data come before those about the queries, whichever file is read first.
void Job::read_clouds() {
  const ScopedTimer timer(report_.read_seconds);
  progress_.phase("read " + options_.data);
  const ReadOptions of_data{options_.data_format, options_.columns, search_options_.threads};
  const ReadOptions of_query{options_.query_format, options_.columns, search_options_.threads};
  std::future<ReadCloud> query;
  if (options_.query && can_read_concurrently(options_.data, *options_.query))
    query = in_background([path = *options_.query, of_query] { return read_cloud(path, of_query); });

  ReadCloud data = read_cloud(options_.data, of_data);
  report_.read_data_seconds = data.seconds;
  data_ = take_points(options_.data, std::move(data), report_.data);
  if (options_.self_query()) {
    report_.query = report_.data;
    return;
  }
  progress_.phase("read " + *options_.query);
  ReadCloud queries = query.valid() ? query.get() : read_cloud(*options_.query, of_query);
  report_.read_query_seconds = queries.seconds;
  query_points_ = take_points(*options_.query, std::move(queries), report_.query);
  if (options_.search.include_self) warn("--include-self changes nothing with --query");
}

/// Rows that have arrived from a GPU are written while the others arrive. Of that time, only what goes beyond the
/// search's own counts as writing.
void Job::search(NeighborFile& file) {
  progress_.phase("search");
  SearchOptions& options = search_options_;
  options.data_name = options_.data == "-" ? "stdin" : options_.data;
  const std::string& query = options_.query.value_or(options_.data);
  options.query_name = query == "-" ? "stdin" : query;
  options.on_progress = [this](std::string_view step, double fraction) { progress_.update(step, fraction); };

  std::optional<double> seconds;
  bool writes = false;
  options.on_rows = [&](const Neighbors& rows, std::int64_t ids, std::int64_t distances) {
    writes = true;
    file.write_ahead(rows, ids, distances, options.threads);
  };
  SearchResult result = [&] {
    const ScopedTimer timer(seconds);
    return options_.self_query() ? search_self(data_, options) : kann::search(data_, query_points_, options);
  }();
  options.on_rows = nullptr;
  if (writes) report_.write_seconds = std::max(0.0, *seconds - result.report.total_seconds);
  neighbors_ = std::move(result.neighbors);
  report_.search = std::move(result.report);
  for (const std::string& message : report_.search->warnings) warn(message);
}

void Job::write(NeighborFile& file) {
  const ScopedTimer timer(report_.write_seconds);
  progress_.phase("write " + options_.output);
  file.write(neighbors_, result_meta_json(options_, report_), search_options_.threads);
  {
    const ScopedTimer sync_timer(report_.sync_seconds);
    ResultPublication publication;
    try {
      file.commit();
    } catch (const io::OutputNotSynced&) {
      publication.set_done();
      report_.output_written = true;
      throw;
    }
    publication.set_done();
  }
  report_.output_written = true;
  progress_.clear();
}

void Job::summarise() const {
  log_info(summary_line(options_, report_));
  if (!options_.verbose) return;
  for (const std::string& line : detail_lines(options_, *report_.search)) log_detail(line);
}

/// The result is written before, so that an end while it is judged does not lose it.
void Job::verify() {
  try {
    judge();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}; the result is in {} all the same", error.what(),
                                          options_.output == "-" ? "stdout" : options_.output));
  }
}

void Job::judge() {
  progress_.phase("verify");
  const SearchReport& search = *report_.search;
  AccuracyOptions options;
  options.sample = options_.verify_sample;
  options.self_query = options_.self_query();
  options.include_self = options_.search.include_self;
  options.exact = search.method == Method::exact;
  options.threads = search_options_.threads;
  bool is_said = shows_progress(options_);  // without a progress line, a long wait is said once
  options.on_progress = [&](double fraction) {
    progress_.update("verify", fraction);
    constexpr double is_long = 10;
    const double left = progress_.seconds_left(fraction);
    if (is_said || left < is_long) return;
    is_said = true;
    log_info("verify: " + duration_text(left) + " left; --verify N compares N queries");
  };
  report_.accuracy = measure_accuracy(data_, queries(), neighbors_, options);
  progress_.clear();

  const Accuracy& accuracy = *report_.accuracy;
  if (accuracy.expected > 0) log_info(verify_line(accuracy, search.query_points - search.query_skipped));
  log_detail("verify took " + measured_text(accuracy.seconds));
  if (const auto message = verify_warning(options_, search.method, accuracy)) warn(*message);
  if (const auto message = failed_check(options_, search.method, accuracy))
    throw Error(ErrorKind::check_failed, *message);
}

/// Prints text that is no result: who does not read it does not want it.
void print(const std::string& text) {
  try {
    write_to_stdout(text);
  } catch (const io::ReaderGone&) {
  }
}

/// A closed stdout is found before the work, if the run is for what goes there.
void check_stdout(const Options& options) {
  if (options.output != "-" && !options.json) return;
  try {
    io::open_output("-", true);
  } catch (const io::ReaderGone& e) {
    throw Error(ErrorKind::resources, e.what());
  }
}

/// Prints the result's path, or the report with --json. The result is whole, whoever reads them.
void print_outcome(const Options& options, const Report& report) {
  const std::string path = isatty(STDOUT_FILENO) == 1 ? printable(options.output) : options.output;
  try {
    if (options.json)
      publish_to_stdout(options, report);
    else if (options.output != "-")
      write_to_stdout(path + "\n");
  } catch (const io::ReaderGone&) {
    log_info("nobody reads stdout; the result is whole: " + options.output);
  }
}

}  // namespace

void run(const Options& options, Report& report) {
  if (options.action == Action::show_help) return print(help_text());
  if (options.action == Action::show_version) return print(version_text());
  if (options.action == Action::dump_config) return print(options.config_text);

  remember_run(options, report);
  Job job(options, report);
  check_stdout(options);
  protect_inputs(options);
  protect_files_from_report(options);
  NeighborFile file(options.output, *options.output_format, options.force);
  mark_earlier_report(options, report);
  job.start_threads();
  remember_run(options, report);
  job.read_clouds();
  remember_run(options, report);
  job.search(file);
  remember_run(options, report);
  job.write(file);
  remember_run(options, report);
  if (!options.json) print_outcome(options, report);
  job.summarise();
  if (options.verify) job.verify();
  publish_to_file(options, report);
  if (options.json) print_outcome(options, report);
}

}  // namespace kann::cli
