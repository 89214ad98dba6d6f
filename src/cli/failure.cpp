#include "cli/failure.hpp"

#include <exception>
#include <new>

#include "kann/error.hpp"

#include "cli/log.hpp"

namespace kann::cli {

Failure current_failure() {
  const auto internal = [](const std::string& what) {
    return Failure{ErrorKind::internal, "internal error: " + what + "; please report it"};
  };
  try {
    throw;
  } catch (const Error& e) {
    return e.kind() == ErrorKind::internal ? internal(e.what()) : Failure{e.kind(), e.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorKind::resources,
            "host memory: an allocation failed; the clouds or --k are too large for this machine"};
  } catch (const std::exception& e) {
    return internal(e.what());
  } catch (...) {
    return internal("unknown exception");
  }
}

void publish_failure(const Options& options, const Report& report) {
  for (const auto publish : {publish_to_file, publish_to_stdout}) {
    try {
      publish(options, report);
    } catch (...) {
      // The run may have failed by the same error: a closed stdout, a report that would replace an input.
      const Failure failure = current_failure();
      if (failure.message != report.failure->message) log_error(failure.message);
    }
  }
}

}  // namespace kann::cli
