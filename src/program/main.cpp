// The program kann. Prints the error of a run and decides the exit code; ends.cpp does so where main() is not reached.
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "kann/search.hpp"

#include "base/host_memory.hpp"
#include "base/threads/signal_stack.hpp"
#include "cli/options/options.hpp"
#include "cli/process/background.hpp"
#include "cli/process/ends.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/log.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/mpi/world.hpp"
#include "program/run.hpp"

namespace kann::cli {
namespace {

/// A program without CUDA code becomes the one beside it that has it, of the same version: pip puts that of the package
/// kann-cuda13 there. Returns if there is none, or one of another owner than root and that of this program.
void become_program_with_cuda(char** arguments) {
  if (KANN_WITH_CUDA) return;
  std::error_code unknown;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const auto other = own.parent_path() / ("kann-" + std::string(version()) + "-cuda13");
  struct stat is_own {};
  struct stat is_other {};
  if (unknown || own == other || stat(own.c_str(), &is_own) != 0 || lstat(other.c_str(), &is_other) != 0) return;
  const bool is_trusted = is_other.st_uid == 0 || is_other.st_uid == is_own.st_uid;
  if (is_trusted && S_ISREG(is_other.st_mode)) execv(other.c_str(), arguments);  // no link, which may be to this one
}

/// Opens something in the place of each closed standard stream, so that no file opened later gets its number: messages
/// would go into the result. Every read from it or write to it fails with EBADF.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // open() takes the lowest free number, which is this one. The direction is the wrong one, hence EBADF.
    [[maybe_unused]] const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace
}  // namespace kann::cli

int main(int count, char** arguments) {
  using namespace kann::cli;
  become_program_with_cuda(arguments);
  kann::base::save_addresses();
  const kann::base::SignalStack stack;
  Options options;
  Report report;
  std::unique_ptr<kann::flow::Communicator> ranks = std::make_unique<kann::flow::Alone>();
  try {
    reserve_standard_streams();
    handle_ends();
    ranks = kann::mpi::connect();
    if (ranks->rank() > 0) kann::program::silence();
    handle_crashes();
    int exit_code = 0;
    run_together(*ranks, [&] {
      parse_options(count - 1, arguments + 1, options);
      configure_log(options);
      if (options.action == Action::search) kann::program::check_connection(options, report, *ranks);
      kann::program::check_same_arguments(count, arguments, *ranks);
      if (options.action == Action::search) options = kann::program::options_of_rank(options, *ranks);
      exit_code = kann::program::run(options, report, *ranks);
      ranks->wait();
    });
    end_main();
    ranks.reset();
    if (has_background_work()) _exit(exit_code);  // a device that starts, and was not needed in the end
    return exit_code;
  } catch (...) {
    report.failure = current_failure(options, report);
  }
  configure_log(options);
  publish_failure(options, report);
  end_main();
  ranks.reset();
  if (has_background_work()) _exit(*report.failure->exit_code);  // nothing is lost: all output was written by write(2)
  return *report.failure->exit_code;
}
