// How the program ends where main() does not see it: a signal, a crash, an exception in a thread, exit() by a library.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kann::cli {

/// An end that main() does not see, as the report tells it.
struct End {
  std::string_view kind, message;
  int exit_code;
};
inline constexpr std::string_view k_interrupted = "interrupted; files are whole or absent";
inline constexpr std::array<End, 5> k_ends = {
    {{"interrupted", k_interrupted, 129},  // SIGHUP
     {"interrupted", k_interrupted, 130},  // SIGINT
     {"interrupted", k_interrupted, 143},  // SIGTERM
     {"internal", "internal error: the program ended in the middle of its work; please report it", 70},
     {"resources", "not enough host memory", 4}}};

/// What each of k_ends leaves in a file, made beforehand, since the handler of a signal cannot.
struct EndTexts {
  std::string path;  ///< of a regular file, or of one that does not exist yet; empty: stdout
  std::array<std::string, k_ends.size()> texts;
};

/// To be called before any thread starts. From now on, each such end removes the temporary files, says one line, writes
/// the texts of prepare_end(), counts the jobs of a batch, and ends the program within a second: SIGINT, SIGTERM and
/// SIGHUP with 130, 143 and 129, unless the parent process ignores them (nohup); std::terminate() with 4 after
/// std::bad_alloc; all else with 70, so exit() of a library, too, as 1 would say that a check failed. A thread whose
/// stack overflows needs a base::SignalStack. Also ignores SIGPIPE and SIGXFSZ: writing to a closed pipe fails with
/// EPIPE, writing beyond the limit of file sizes with EFBIG.
void handle_ends();

/// Installs the handlers of crashes again, which MPI may have replaced.
void handle_crashes();

/// What an end writes from now on.
void prepare_end(std::vector<EndTexts> texts);

/// From now on, main() writes the reports, and an end leaves them alone.
void leave_reports() noexcept;

/// For the end of main(): exit() is no internal error any more, and signals are ignored, as the program has reported
/// how it ended. Does not return if another thread ends the program.
void end_main() noexcept;

}  // namespace kann::cli
