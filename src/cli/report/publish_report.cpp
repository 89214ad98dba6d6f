#include "cli/report/publish_report.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "kann/error.hpp"

#include "cli/json/earlier_report.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/failure.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"

namespace kann::cli {
namespace {

/// Two threads may have a report to write if one of them ends the program; its report is written last.
class FileTurn {
 public:
  FileTurn() : lock_(mutex(), std::chrono::milliseconds(300)) { stop_if_ended(); }

  /// Like kann::cli::stop_if_ended(), but first lets the other thread write.
  void stop_if_ended() {
    if (!is_end_claimed()) return;
    if (lock_.owns_lock()) lock_.unlock();
    cli::stop_if_ended();
  }

 private:
  static std::timed_mutex& mutex() {
    static std::timed_mutex the_mutex;
    return the_mutex;
  }
  std::unique_lock<std::timed_mutex> lock_;
};

void write_text(const std::string& path, const std::string& text) {
  const std::unique_ptr<formats::OutputFile> file = formats::open_output(path, true);
  file->write(formats::as_bytes(text));
  file->finish();
  file->publish();
}

/// Whether this process has begun the report of its batch.
std::atomic<bool> has_batch_report{false};

void empty_batch_report(const Options& options) {
  protect_files_from_report(options);
  write_text(*options.report, "");
  has_batch_report = true;
}

/// Appends a line to the report of a batch by a single write(): whatever happens later, the lines before it are in the
/// file.
/// @pre the caller has the FileTurn.
void append_line(const Options& options, const std::string& line) {
  if (!has_batch_report) empty_batch_report(options);
  const formats::Descriptor file(open(options.report->c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const auto fail = [&] {
    throw Error(ErrorKind::resources, *options.report + ": " + std::generic_category().message(errno));
  };
  if (!file.is_open()) fail();
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The JSON text with control characters beyond ASCII (U+007F to U+009F) escaped, since a terminal would obey them.
std::string for_terminal(const std::string& json) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto next = i + 1 < json.size() ? static_cast<unsigned char>(json[i + 1]) : 0;
    if (json[i] == '\xc2' && next >= 0x80 && next < 0xa0)
      out.append("\\u00").append(1, digits[next >> 4]).append(1, digits[next & 15]), ++i;
    else if (json[i] == '\x7f')
      out += "\\u007f";
    else
      out += json[i];
  }
  return out;
}

}  // namespace

void begin_batch_report(const Options& options) {
  const FileTurn turn;
  if (options.report) empty_batch_report(options);
}

void mark_earlier_report(const Options& options, const Report& report) {
  FileTurn turn;
  std::error_code ignored;
  if (!options.report || !std::filesystem::is_regular_file(*options.report, ignored) ||
      std::filesystem::is_empty(*options.report, ignored))
    return;
  protect_files_from_report(options);
  Report unfinished = report;
  unfinished.failure = Failure("unfinished", "the run has not ended, or it was killed", std::nullopt);
  try {
    write_text(*options.report, report_json(options, unfinished));
  } catch (const Error&) {  // a full disk
    turn.stop_if_ended();
    std::filesystem::remove(std::filesystem::canonical(*options.report, ignored), ignored);
    throw;
  }
}

void publish_to_file(const Options& options, const Report& report) {
  if (!options.report) return;
  const FileTurn turn;
  if (options.is_batch() || options.is_batch_job) return append_line(options, report_json(options, report));
  protect_files_from_report(options);
  if (report.failure && report.failure->output_exists && is_report_of(*options.report, options.output)) return;
  write_text(*options.report, report_json(options, report));
}

void publish_to_stdout(const Options& options, const Report& report) {
  static std::atomic_flag is_written = ATOMIC_FLAG_INIT;  // a thread that ends the process may come second
  if (!options.json || options.action == Action::info || options.plan ||
      (!options.is_batch_job && is_written.test_and_set()))
    return;
  const std::string json = report_json(options, report);
  write_to_stdout(isatty(STDOUT_FILENO) == 1 ? for_terminal(json) : json);
}

void write_to_stdout(const std::string& text) {
  const std::unique_ptr<formats::OutputFile> out = formats::open_output("-", true);
  out->write(formats::as_bytes(text));
  out->finish();
}

}  // namespace kann::cli
