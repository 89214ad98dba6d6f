#include "cli/report/publish_report.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "cli/options/output_path.hpp"
#include "cli/process/ends.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/page.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"

namespace kann::cli {
namespace {

/// What a run tells of itself in a file: to programs, or to people.
struct Form {
  std::optional<std::string> Options::*path;
  void (*protect)(const Options&);  // other files from this one
  std::string (*text)(const Options&, const Report&);
};

constexpr Form k_forms[] = {{&Options::report, protect_files_from_report, report_json},
                            {&Options::html, protect_files_from_page, page}};

/// Whether report and page are those of this run, which it may replace.
std::atomic<bool> owns_files{false};

/// Whether the report is a file of the jobs, one in each line, which is appended to.
bool grows(const Options& options, const Form& form) {
  return (options.is_batch() || options.is_batch_job) && form.path == &Options::report;
}

bool is_no_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
}

std::unique_ptr<formats::OutputFile> written(const std::string& path, const std::string& text, bool replace) {
  std::unique_ptr<formats::OutputFile> file = formats::open_output(path, replace);
  file->write(formats::as_bytes(text));
  file->finish();
  return file;
}

/// Appends to the report of a batch by a single write(): whatever happens later, what is before it is in the file.
void append(const std::string& path, const std::string& text) {
  const formats::Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const int error = file.is_open() ? formats::write_all(file.get(), formats::as_bytes(text)) : errno;
  if (error) throw Error(ErrorKind::resources, path + ": " + std::generic_category().message(error));
}

void prepare_ends(const Options& options, Report report) {
  std::vector<EndTexts> ends;
  for (const Form& form : k_forms)
    if (const auto& path = options.*form.path; path && !is_no_file(*path))
      ends.push_back({.path = formats::follow_links(*path).string(), .texts = {}});
  if (options.json) ends.emplace_back();
  for (std::size_t kind = 0; kind < k_ends.size(); ++kind) {
    report.failure = Failure(k_ends[kind].kind, std::string(k_ends[kind].message), k_ends[kind].exit_code);
    std::size_t i = 0;
    for (const Form& form : k_forms)
      if (const auto& path = options.*form.path; path && !is_no_file(*path))
        ends[i++].texts[kind] = form.text(options, report);
    if (options.json) ends[i].texts[kind] = report_json(options, report);
  }
  prepare_end(std::move(ends));
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

void protect_files_from_reports(const Options& options) {
  for (const Form& form : k_forms) form.protect(options);
}

void begin_reports(const Options& options, const Report& report) {
  owns_files = true;
  if (!options.is_batch()) prepare_ends(options, report);
  Report unfinished = report;
  unfinished.failure = Failure("unfinished", "the run has not ended, or it was killed", std::nullopt);
  for (const Form& form : k_forms)
    if (const auto& path = options.*form.path; path && !is_no_file(*path))
      written(*path, grows(options, form) ? "" : form.text(options, unfinished), replaces_reports(options))->publish();
}

void append_to_report(const Options& job, const Report& report) {
  if (job.report) append(*job.report, report_json(job, report));
}

void publish_to_files(const Options& options, const Report& report) {
  if (options.plan) return;
  std::vector<std::unique_ptr<formats::OutputFile>> files;
  base::FirstException first;  // each is written even if another fails
  for (const Form& form : k_forms)
    if (const auto& path = options.*form.path)
      first.capture([&] {
        if (grows(options, form) && owns_files) return append(*path, form.text(options, report));
        if (!owns_files) form.protect(options);
        files.push_back(written(*path, form.text(options, report), owns_files));
      });
  leave_reports();
  for (const auto& file : files) first.capture([&] { file->publish(); });
  first.rethrow();
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
