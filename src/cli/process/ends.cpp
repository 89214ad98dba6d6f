#include "cli/process/ends.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <initializer_list>
#include <memory>
#include <new>
#include <signal.h>
#include <unistd.h>
#include <utility>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "cli/process/batch_counts.hpp"
#include "cli/terminal/progress.hpp"
#include "formats/files/temporary_files.hpp"

namespace kann::cli {
namespace {

/// Places in k_ends.
enum Kind : std::size_t { hangup, interrupt, terminate, internal, no_memory };
static_assert(k_ends[internal].exit_code == static_cast<int>(ErrorKind::internal) &&
              k_ends[no_memory].exit_code == static_cast<int>(ErrorKind::resources));

/// A text with the temporary file that is renamed to its path.
struct Prepared {
  EndTexts end;
  std::string temporary;
};

// Never destroyed, as a handler may need them while the program exits.
auto& all_prepared = *new std::vector<std::unique_ptr<const std::vector<Prepared>>>;
std::atomic<const std::vector<Prepared>*> prepared{nullptr};
std::atomic<bool> main_has_ended{false};
std::atomic_flag is_ending = ATOMIC_FLAG_INIT;
std::atomic<int> exit_code_at_limit{0};

bool put(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A report that cannot be written stays that of an unfinished run.
void write_text(const Prepared& text, std::size_t kind) noexcept {
  if (text.end.path.empty()) {
    put(STDOUT_FILENO, text.end.texts[kind]);
    return;
  }
  const int fd = open(text.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return;
  const bool is_whole = put(fd, text.end.texts[kind]);
  close(fd);
  if (!is_whole || rename(text.temporary.c_str(), text.end.path.c_str()) != 0) unlink(text.temporary.c_str());
}

/// Ends the program after a second, whatever a file or a full pipe makes it wait for.
void limit_end(int exit_code) noexcept {
  exit_code_at_limit = exit_code;
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(exit_code_at_limit); };
  sigaction(SIGALRM, &action, nullptr);
  alarm(1);
}

/// Ends the program, from any thread or handler. The parts in a row are the line. Async-signal-safe.
[[noreturn]] void end_now(Kind kind, std::initializer_list<std::string_view> line) noexcept {
  sigset_t all_but_limit;
  sigfillset(&all_but_limit);
  sigdelset(&all_but_limit, SIGALRM);
  pthread_sigmask(SIG_SETMASK, &all_but_limit, nullptr);  // a handler on this thread would wait for itself
  while (is_ending.test_and_set()) pause();               // another thread ends the program
  limit_end(k_ends[kind].exit_code);
  remove_pending_outputs();
  clear_progress_in_signal_handler();
  put(STDERR_FILENO, "kann: error: ");
  for (const std::string_view part : line) put(STDERR_FILENO, part);
  put(STDERR_FILENO, "\n");
  const std::vector<Prepared>* const texts = prepared;
  if (texts)
    for (const Prepared& text : *texts) write_text(text, kind);
  std::array<char, k_longest_counts> counts;
  put(STDERR_FILENO, said_counts(counts));
  remove_pending_outputs();  // what was created meanwhile
  _exit(k_ends[kind].exit_code);
}

[[noreturn]] void end_by_internal_error(std::string_view what) noexcept {
  end_now(internal, {"internal error: ", what, "; please report it"});
}

extern "C" void on_signal(int signal) {
  end_now(signal == SIGHUP ? hangup : signal == SIGINT ? interrupt : terminate, {k_interrupted});
}

extern "C" void on_crash(int) { end_by_internal_error("the program crashed"); }

void on_terminate() {
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    end_now(no_memory, {k_ends[no_memory].message});
  } catch (const std::exception& e) {
    end_by_internal_error(e.what());
  } catch (...) {
    end_by_internal_error("unknown exception");
  }
  end_by_internal_error("terminated without an exception");
}

void on_exit() {
  if (!main_has_ended) end_by_internal_error("a library ended the program");
}

void handle(std::initializer_list<int> signals, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int signal : signals) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (handler != on_signal || inherited.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void handle_ends() {
  handle({SIGHUP, SIGINT, SIGTERM}, on_signal);
  handle({SIGPIPE, SIGXFSZ}, SIG_IGN);
  handle_crashes();
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
}

void handle_crashes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers report crashes themselves
  handle({SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}, on_crash);
#endif
}

void prepare_end(std::vector<EndTexts> texts) {
  auto all = std::make_unique<std::vector<Prepared>>();
  for (EndTexts& end : texts) {
    std::string temporary = end.path.empty() ? "" : formats::temporary_path(end.path, "tmp").string();
    all->push_back({std::move(end), std::move(temporary)});
  }
  prepared = all_prepared.emplace_back(std::move(all)).get();
}

void leave_reports() noexcept { prepared = nullptr; }

void end_main() noexcept {
  while (is_ending.test()) pause();
  handle({SIGHUP, SIGINT, SIGTERM}, SIG_IGN);
  main_has_ended = true;
}

}  // namespace kann::cli
