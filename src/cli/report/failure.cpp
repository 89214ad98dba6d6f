#include "cli/report/failure.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "kann/error.hpp"

#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "formats/files/output_file.hpp"

namespace kann::cli {
namespace {

/// The code that a shell shows for a program that SIGPIPE has ended.
constexpr int k_exit_reader_gone = 141;

std::string_view word_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::check_failed:
      return "check_failed";
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::bad_input:
      return "bad_input";
    case ErrorKind::resources:
      return "resources";
    case ErrorKind::no_device:
      return "no_device";
    case ErrorKind::internal:
      break;
  }
  return "internal";
}

Failure plain_failure() {
  const auto internal = [](const std::string& what) {
    return Failure(ErrorKind::internal, "internal error: " + what + "; please report it");
  };
  try {
    throw;
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

}  // namespace

Failure::Failure(ErrorKind error, std::string text)
    : Failure(word_for(error), std::move(text), static_cast<int>(error)) {}

Failure current_failure(const Options& options, const Report& report) {
  Failure failure = plain_failure();
  if (report.output_written && failure.kind != "check_failed" && !failure.is_quiet)
    failure.message +=
        options.output == "-" ? "; the result on stdout is whole" : "; the result is whole: " + options.output;
  return failure;
}

void publish_failure(const Options& options, const Report& report) {
  const Failure& failure = *report.failure;
  std::string further;
  const auto attempt = [&](void (*publish)(const Options&, const Report&)) {
    try {
      publish(options, report);
    } catch (const formats::OutputExists&) {  // an earlier report, which this run may not replace
    } catch (...) {
      // The run may have failed by the same error, such as a report that would replace an input.
      const Failure another = current_failure(options, report);
      if (!another.is_quiet && another.message != failure.message) further = another.message;
    }
  };
  attempt(publish_to_files);
  if (!failure.is_quiet) log_error(failure.message);
  if (!further.empty()) log_error(further);
  further.clear();
  attempt(publish_to_stdout);
  if (!further.empty()) log_error(further);
  if (report.batch) log_info(counts_text(report.batch->counts));
}

}  // namespace kann::cli
