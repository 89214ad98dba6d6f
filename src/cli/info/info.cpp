#include "cli/info/info.hpp"

#include <functional>
#include <optional>
#include <string>

#include "cli/info/cloud_contents.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "cli/terminal/messages.hpp"
#include "cli/terminal/progress.hpp"

namespace kann::cli {
namespace {

formats::ReadRequest read_options(const Options& options) {
  formats::ReadRequest request({.format = options.data_format,
                                .columns = options.columns,
                                .sky = options.sky,
                                .threads = options.search.threads,
                                .header = options.header,
                                .quotes = options.quotes,
                                .format_option = "--data-format"});
  request.takes_angles = true;
  return request;
}

}  // namespace

int show_contents(const Options& options) {
  Progress progress(shows_progress(options));
  Messages messages(progress);
  std::optional<int> first_failure;
  bool is_first = true;
  const auto print = [&](const std::string& text) {
    progress.clear();
    write_to_stdout(is_first || options.json ? text : "\n" + text);
    is_first = false;
  };
  std::function<void(std::int64_t, std::int64_t)> on_progress;
  if (progress.is_shown())
    on_progress = [&](std::int64_t done, std::int64_t total) {
      progress.update({static_cast<double>(done), static_cast<double>(total), "points"});
    };
  for (const std::string& path : options.files) {
    std::optional<CloudContents> contents;
    std::optional<Failure> failure;
    progress.phase("read " + path);
    try {
      contents = look_into(path, read_options(options), options.search.threads, on_progress);
    } catch (...) {
      failure = current_failure(options, {});
    }
    if (contents) {
      for (const std::string& warning : contents->warnings) messages.warning(warning);
      print(options.json ? json(facts_of_file(*contents), false) : contents_text(*contents));
      continue;
    }
    progress.clear();
    log_error(failure->message);
    if (options.json) print(json({{"version", 1}, {"path", path}, {"error", failure_facts(*failure)}}, false));
    if (!first_failure) first_failure = failure->exit_code;
  }
  return first_failure.value_or(0);
}

}  // namespace kann::cli
