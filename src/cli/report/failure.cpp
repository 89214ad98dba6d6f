#include "cli/report/failure.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <signal.h>
#include <string>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "base/printable.hpp"
#include "cli/report/pending_reports.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "cli/terminal/progress.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"
#include "formats/files/pending_files.hpp"
#include "formats/files/publish_pair.hpp"

namespace kann::cli {
namespace {

using namespace std::chrono_literals;

/// The code that a shell shows for a program that SIGPIPE has ended.
constexpr int k_exit_reader_gone = 141;

struct Run {
  std::timed_mutex mutex;
  Options options;
  Report report;
};

/// Never destroyed, as a thread may need it while the program exits.
Run& remembered_run() {
  static Run& run = *new Run;
  return run;
}

std::atomic<bool> has_end{false};
thread_local bool end_is_mine = false;  ///< whether this thread has claimed the end: an allocation may fail in it
std::atomic<int> exit_code_at_limit{0};

enum class Publication { none, begun, done };
std::atomic<Publication> publication{Publication::none};

/// Whether the result has its name. To be called after remove_pending_outputs(), which has removed the file if it was
/// still to get its name.
bool is_published() noexcept {
  return publication == Publication::done || (publication == Publication::begun && formats::removed_outputs() == 0);
}

Failure plain_failure() {
  const auto internal = [](const std::string& what) {
    return Failure(ErrorKind::internal, "internal error: " + what + "; please report it");
  };
  try {
    throw;
  } catch (const formats::OutputExists& e) {
    Failure failure(e.kind(), e.what());
    failure.output_exists = true;
    return failure;
  } catch (const formats::ReaderGone& e) {
    Failure failure("reader_gone", e.what(), k_exit_reader_gone);
    failure.is_quiet = true;
    return failure;
  } catch (const Error& e) {
    return e.kind() == ErrorKind::internal ? internal(e.what()) : Failure(e.kind(), e.what());
  } catch (const std::bad_alloc&) {
    return {ErrorKind::resources,
            "host memory: an allocation failed; the clouds or --k are too large for this machine"};
  } catch (const std::exception& e) {
    return internal(e.what());
  } catch (...) {
    return internal("unknown exception");
  }
}

std::string where_result_is(const Options& options) {
  return options.output == "-" ? "; the result on stdout is whole" : "; the result is whole: " + options.output;
}

void write_line(std::initializer_list<std::string_view> parts) noexcept {
  for (const std::string_view part : parts)
    [[maybe_unused]] const auto written = write(STDERR_FILENO, part.data(), part.size());
}

void write_message(const std::string& message) { write_line({"kann: error: ", base::printable(message), "\n"}); }

/// Publishes the pending reports, then the kept report with the failure, and whether the result has its name, to
/// stderr, file and stdout. Throws if memory runs out before the line is printed.
void publish_kept(std::string_view kind, int exit_code, std::string message, bool has_result) {
  write_pending_reports();
  Run& run = remembered_run();
  const std::unique_lock lock(run.mutex, 200ms);
  if (!lock.owns_lock()) return write_message(message);
  run.report.output_written |= has_result;
  if (run.report.output_written) message += where_result_is(run.options);
  run.report.failure = Failure(kind, message, exit_code);
  const auto counts = batch_counts();
  if (counts) run.report.batch = {*counts, kind == "interrupted" ? "signal" : "error"};
  write_message(message);  // first, as it matters most, and a launcher of ranks gives them only some milliseconds
  try {
    publish_to_files(run.options, run.report);
  } catch (const std::exception&) {
  }
  if (counts && !run.options.quiet) write_line({"kann: ", counts_text(*counts), "\n"});
  try {
    publish_to_stdout(run.options, run.report);
  } catch (const std::exception&) {
  }
}

}  // namespace

Failure current_failure(const Options& options, const Report& report) {
  Failure failure = plain_failure();
  if (report.output_written && failure.kind != "check_failed" && !failure.is_quiet)
    failure.message += where_result_is(options);
  return failure;
}

void remember_run(const Options& options, const Report& report) {
  Run& run = remembered_run();
  const std::lock_guard lock(run.mutex);
  run.options = options;
  run.report = report;
}

ResultPublication::ResultPublication() noexcept { publication = Publication::begun; }
ResultPublication::~ResultPublication() {
  auto begun = Publication::begun;
  publication.compare_exchange_strong(begun, Publication::none);
}
void ResultPublication::set_done() noexcept { publication = Publication::done; }

void claim_end() noexcept {
  if (!end_is_mine) end_is_mine = !has_end.exchange(true);
  stop_if_ended();
}

void claim_end_in_time() noexcept {
  timespec left{0, 300'000'000};
  if (has_end.exchange(true))
    while (nanosleep(&left, &left) != 0) continue;
  end_is_mine = true;
}

void stop_if_ended() noexcept {
  while (has_end && !end_is_mine) pause();
}

bool is_end_claimed() noexcept { return has_end; }

void publish_failure(const Options& options, const Report& report) {
  const Failure& failure = *report.failure;
  std::string further;
  const auto keep = [&] {
    // The run may have failed by the same error, such as a report that would replace an input.
    const Failure another = current_failure(options, report);
    if (!another.is_quiet && another.message != failure.message) further = another.message;
  };
  try {
    publish_to_files(options, report);
  } catch (...) {
    keep();
  }
  if (!failure.is_quiet) log_error(failure.message);
  if (!further.empty()) log_error(further);
  further.clear();
  try {
    publish_to_stdout(options, report);
  } catch (...) {
    keep();
  }
  if (!further.empty()) log_error(further);
  if (report.batch) log_info(counts_text(report.batch->counts));
}

void limit_end(int exit_code) noexcept {
  if (exit_code_at_limit.exchange(exit_code) != 0) return;  // the time limit is running already
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(exit_code_at_limit); };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval limit{{0, 0}, {0, 900'000}};
  setitimer(ITIMER_REAL, &limit, nullptr);
}

void end_program(std::string_view kind, int exit_code, std::initializer_list<std::string_view> message) noexcept {
  limit_end(exit_code);
  formats::stop_syncing();
  const auto lock = formats::hold_pairs(300ms);
  remove_pending_outputs();
  const bool has_result = is_published();
  clear_progress_in_signal_handler();
  try {
    std::string text;
    for (const std::string_view part : message) text += part;
    publish_kept(kind, exit_code, text, has_result);
  } catch (const std::exception&) {
    write_line({"kann: error: "});
    write_line(message);
    write_line({"\n"});
  }
  formats::stop_file_creation();
  remove_pending_outputs();
  _exit(exit_code);
}

}  // namespace kann::cli
