#include "cli/report/publish_report.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "cli/html/html.hpp"
#include "cli/json/earlier_report.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/page.hpp"
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

/// Replaces a file. Its errors do not say that the old one is kept: the report of the failure is written there next.
void write_text(const std::string& path, const std::string& text) {
  const std::unique_ptr<formats::OutputFile> file = formats::open_output(path, true, false);
  file->write(formats::as_bytes(text));
  file->finish();
  file->publish();
}

/// What a run tells of itself in a file: to programs, or to people.
struct Form {
  std::optional<std::string> Options::*path;
  void (*protect)(const Options&);                                       // other files from this one
  std::string (*begin)(const Options& batch);                            // the file of a batch before its jobs
  std::string (*next)(const Options&, const Report&);                    // what a job, or its end, adds to it
  std::string (*text)(const Options&, const Report&);                    // the file of a run
  bool (*tells_of)(const std::string& path, const std::string& output);  // whether a file tells of this whole result
};

constexpr Form k_forms[] = {
    {&Options::report, protect_files_from_report, [](const Options&) { return std::string(); },
     [](const Options& o, const Report& r) {
       return r.batch && r.batch->ended_by.empty() ? std::string() : report_json(o, r);
     },
     report_json, is_report_of},
    {&Options::html, protect_files_from_page, batch_page_begin, batch_page_next, run_page, is_page_of}};

/// Calls f(form, path) for the forms that are asked for, for each even if another fails.
template <class F>
void for_each_form(const Options& options, F f) {
  base::FirstException first;
  for (const Form& form : k_forms)
    if (const auto& path = options.*form.path) first.capture([&] { f(form, *path); });
  first.rethrow();
}

/// Whether this process has begun the reports of its batch.
std::atomic<bool> has_batch_reports{false};

void begin_reports(const Options& batch) {
  for_each_form(batch, [&](const Form& form, const std::string& path) {
    form.protect(batch);
    write_text(path, form.begin(batch));
  });
  has_batch_reports = true;
}

/// Appends to the report of a batch by a single write(): whatever happens later, what is before it is in the file.
/// @pre the caller has the FileTurn.
void append(const std::string& path, const std::string& text) {
  const formats::Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const auto fail = [&] { throw Error(ErrorKind::resources, path + ": " + std::generic_category().message(errno)); };
  if (!file.is_open()) fail();
  for (std::string_view rest = text; !rest.empty();) {
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

void begin_batch_reports(const Options& options) {
  const FileTurn turn;
  begin_reports(options);
}

void mark_earlier_reports(const Options& options, const Report& report) {
  FileTurn turn;
  Report unfinished = report;
  unfinished.failure = Failure("unfinished", "the run has not ended, or it was killed", std::nullopt);
  for_each_form(options, [&](const Form& form, const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::is_empty(path, ignored)) return;
    form.protect(options);
    try {
      write_text(path, form.text(options, unfinished));
    } catch (const Error&) {  // a full disk
      turn.stop_if_ended();
      std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
      throw;
    }
  });
}

void publish_to_files(const Options& options, const Report& report) {
  if (options.plan || (!options.report && !options.html)) return;
  const FileTurn turn;
  const bool is_of_batch = options.is_batch() || options.is_batch_job;
  if (is_of_batch && !has_batch_reports) begin_reports(options);
  for_each_form(options, [&](const Form& form, const std::string& path) {
    if (is_of_batch) return append(path, form.next(options, report));
    form.protect(options);
    if (report.failure && report.failure->output_exists && form.tells_of(path, options.output)) return;
    write_text(path, form.text(options, report));
  });
}

void protect_files_from_reports(const Options& options) {
  for_each_form(options, [&](const Form& form, const std::string&) { form.protect(options); });
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
