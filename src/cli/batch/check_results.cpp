#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "base/threads/parallel.hpp"
#include "cli/batch/batch.hpp"
#include "cli/facts/read_json.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/report/verdict.hpp"
#include "cli/terminal/log.hpp"
#include "formats/files/output_file.hpp"
#include "formats/neighbors/reference_file.hpp"

namespace kann::cli {
namespace {

using Texts = std::vector<std::string>;

/// The cloud by the path that it had: from the current folder, from that of the result, or from one above it; or by its
/// name alone in either folder. @throws Error bad_input: it is in none.
std::string found(const std::string& result, const std::string& path, bool is_beside) {
  std::error_code ignored;
  const std::filesystem::path name(path);
  std::filesystem::path folder = std::filesystem::absolute(result).parent_path();
  std::vector<std::filesystem::path> places = {name, folder / name.filename()};
  for (; folder.has_relative_path(); folder = folder.parent_path()) places.push_back(folder / name);
  places.push_back(name.filename());
  if (is_beside) std::ranges::rotate(places, places.begin() + 1);
  for (const std::filesystem::path& place : places)
    if (std::filesystem::exists(place, ignored)) return place.string();
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: its cloud {} is neither there nor beside it; copy the result to the "
                          "cloud's folder, or the cloud to the current one",
                          result, path));
}

/// The command line of the search, without the files that it wrote.
Texts command_of(const ReadFacts& meta, const std::string& result, Beside beside) {
  Texts words;
  for (const std::string& word : meta.get<Texts>("reading").value_or(Texts()))  // as they may come from anybody
    if (says_how_to_read(word)) words.push_back(word);
  const auto add = [&](std::string_view flag, const auto& value) {
    words.push_back(fmt::format("{}={}", flag, value));
  };
  add("--data", found(result, meta.get<std::string>("data.path").value_or(""), beside.data));
  const auto step = meta.get<double>("grid.step");
  if (step)
    add("--grid", *step);
  else if (!meta.get<bool>("self_query").value_or(false))
    add("--query", found(result, meta.get<std::string>("query.path").value_or(""), beside.query));
  if (meta.get<bool>("include_self").value_or(false)) words.emplace_back("--include-self");
  add("--k", meta.get<std::int64_t>("k").value_or(0));
  add("--method", meta.get<std::string>("method").value_or("exact"));
  if (const auto radius = meta.get<double>("radius")) add("--radius", *radius);
  if (const auto box = meta.get<std::vector<double>>("periodic"))
    add("--periodic", fmt::format("{}", fmt::join(*box, ",")));
  if (const auto images = meta.get<std::string>("images")) add("--images", *images);
  if (const auto unit = meta.get<std::string>("sky")) {
    words.emplace_back("--sky");
    add("--unit", *unit);
  }
  for (const char* const key : {"group", "other_group"})
    if (const auto name = meta.get<std::string>(key)) add(*key == 'g' ? "--group" : "--other-group", *name);
  return words;
}

void check_result(const Options& options, Report& report, Messages& messages) {
  const int threads = base::thread_count(options.search.threads);
  SearchOptions search = options.search;
  search.threads = threads;
  Job job({options, report, messages, threads}, search, OutputFiles());
  job.read_clouds();
  job.take_rows(options.output);
  job.check();
}

std::string_view verdict(const Options& options, const Report& report) {
  if (report.failure) return "failed";
  const std::vector<Check> checks = checks_of(options, report);
  return std::ranges::any_of(checks, [](const Check& check) { return check.passed.has_value(); }) ? "passed"
                                                                                                  : "measured";
}

}  // namespace

Options options_of_result(const std::string& result, const Options& asked, Beside beside) {
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::bad_input, result + ": " + what); };
  const auto meta = result.ends_with(".npz") ? read_json(formats::ReferenceFile(result).meta()) : std::nullopt;
  if (!meta || !meta->values.contains("kann.version"))
    refuse("does not say what was searched; kann check reads the .npz that kann writes");
  if (meta->values.contains("match")) refuse("has the pairs of --match, which are not checked");
  if (meta->get<std::string>("data.path") == "-" || meta->get<std::string>("query.path") == "-")
    refuse("is of a cloud from standard input, which is not there to be read again");
  if (meta->values.contains("first_row")) refuse("has the rows of one rank, which are not checked");
  const Texts words = command_of(*meta, result, beside);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  Options options;
  try {
    parse_options(static_cast<int>(arguments.size()), arguments.data(), options);
  } catch (const Error& error) {
    refuse(std::string("says of itself what no search can be: ") + error.what());
  }
  options.action = Action::check;
  options.rows_are_stored = true;
  options.output = result;
  options.verify = asked.verify;
  options.verify_sample = asked.verify_sample;
  options.compare = asked.compare;
  options.min_recall = asked.min_recall;
  options.search.threads = asked.search.threads;
  options.json = asked.json;
  options.is_batch_job = true;
  return options;
}

int check_results(const Options& options) {
  Progress progress(shows_progress(options));
  std::optional<int> first_failure;
  base::FirstException unsaid;  // a full disk, for example
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    Options of_result = options;
    of_result.is_batch_job = true;
    const std::string& name = of_result.output = options.files[i];
    Report report;
    report.job = static_cast<std::int64_t>(i + 1);
    std::optional<Messages> messages(std::in_place);  // of several results, they name theirs
    if (options.files.size() == 1) messages.emplace(progress);
    try {
      // The hashes of the clouds decide which are meant, where there are some of the same name
      for (const Beside beside : {Beside{false, false}, {true, true}, {true, false}, {false, true}}) {
        const Options tried = options_of_result(name, options, beside);
        if (report.failure && tried.data == of_result.data && tried.query == of_result.query) continue;
        if (!report.failure) of_result = tried;
        Report of_tried;
        of_tried.job = report.job;
        try {
          check_result(tried, of_tried, *messages);
        } catch (const Error& error) {
          of_tried.failure = current_failure(tried, of_tried);
          if (!report.failure) report = of_tried;
          if (error.kind() == ErrorKind::bad_input) continue;
        }
        report = std::move(of_tried);
        of_result = tried;
        break;
      }
    } catch (...) {
      report.failure = current_failure(of_result, report);
    }
    report.is_skipped = true;  // nothing was searched
    if (report.failure && !first_failure) first_failure = report.failure->exit_code;
    progress.clear();
    messages->log([&](const std::string& message) { return name + ": " + message; }, false);
    if (report.failure) log_error(report.failure->message);
    unsaid.capture([&] {
      try {
        options.json ? publish_to_stdout(of_result, report)
                     : write_to_stdout(fmt::format("{}: {}\n", name, verdict(of_result, report)));
      } catch (const formats::ReaderGone&) {  // the exit code says it, too
      }
    });
  }
  if (!first_failure) unsaid.rethrow();
  return first_failure.value_or(0);
}

}  // namespace kann::cli
