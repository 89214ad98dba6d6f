#include "cli/termination.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "cli/progress.hpp"

namespace kann::cli {
namespace {

/// Does not allocate, as memory may have run out.
[[noreturn]] void end_program(ErrorKind kind, std::initializer_list<std::string_view> line) {
  for (const std::string_view part : line)
    [[maybe_unused]] const auto written = write(STDERR_FILENO, part.data(), part.size());
  _exit(static_cast<int>(kind));
}

[[noreturn]] void end_by_internal_error(std::string_view what) {
  end_program(ErrorKind::internal, {"kann: error: internal error: ", what, "; please report it\n"});
}

void on_terminate() {
  static std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
  if (is_ending.test_and_set())  // memory may run out in all threads at once; the first thread prints
    while (true) pause();
  remove_pending_outputs();
  clear_progress_in_signal_handler();
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    end_program(ErrorKind::resources, {"kann: error: not enough host memory\n"});
  } catch (const std::exception& e) {
    end_by_internal_error(e.what());
  } catch (...) {
    end_by_internal_error("unknown exception");
  }
  end_by_internal_error("terminated without an exception");
}

}  // namespace

void handle_termination() {
  std::set_terminate(on_terminate);
  std::atexit(remove_pending_outputs);
}

}  // namespace kann::cli
