#include "cli/terminal/log.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "base/printable.hpp"
#include "cli/terminal/progress_text.hpp"

namespace kann::cli {
namespace {

/// Formats the level as `error: `, `warning: ` or nothing; spdlog's own formatter would print `info`.
class LevelWord : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view word = message.level == spdlog::level::err    ? "error: "
                                  : message.level == spdlog::level::warn ? "warning: "
                                                                         : "";
    out.append(word.data(), word.data() + word.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelWord>(); }
};

using Sink = spdlog::sinks::ansicolor_stderr_sink_st;

const std::shared_ptr<Sink>& sink() {
  static const auto the_sink = std::make_shared<Sink>(spdlog::color_mode::never);
  return the_sink;
}

spdlog::logger& logger() {
  static spdlog::logger& the_logger = []() -> spdlog::logger& {
    static spdlog::logger made("kann", sink());
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<LevelWord>('*').set_pattern("kann: %^%*%$%v");
    made.set_formatter(std::move(formatter));
    return made;
  }();
  return the_logger;
}

bool terminal_wants_color() {
  const char* const no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const char* const term = std::getenv("TERM");
  return stderr_is_terminal() && !(no_color && *no_color) && !(term && std::strcmp(term, "dumb") == 0);
}

void log(spdlog::level::level_enum level, std::string_view message) { logger().log(level, base::printable(message)); }

/// Breaks lines of information between words. Errors and warnings are left to the terminal, as they may contain a
/// command to be copied.
void log_lines(spdlog::level::level_enum level, std::string_view message) {
  constexpr std::string_view program = "kann: ";
  const std::string text = base::printable(message);
  logger().log(level, stderr_is_terminal() ? wrapped(text, columns_of_stderr(), program.size()) : text);
}

}  // namespace

void configure_log(const Options& options) {
  logger().set_level(options.quiet ? spdlog::level::err : options.verbose ? spdlog::level::debug : spdlog::level::info);
  const bool color = options.color == When::automatic ? terminal_wants_color() : options.color == When::always;
  sink()->set_color_mode(color ? spdlog::color_mode::always : spdlog::color_mode::never);
}

void log_error(std::string_view message) { log(spdlog::level::err, message); }
void log_warning(std::string_view message) { log(spdlog::level::warn, message); }
void log_info(std::string_view message) { log_lines(spdlog::level::info, message); }
void log_detail(std::string_view message) { log_lines(spdlog::level::debug, message); }

std::size_t columns_of_stderr() {
  constexpr std::size_t by_default = 80;
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (is_known ? size.ws_col : by_default) - 1;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool shows_progress(const Options& o) {
  return o.progress == When::always || (o.progress == When::automatic && !o.quiet && stderr_is_terminal());
}

}  // namespace kann::cli
