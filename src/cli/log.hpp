// Lines on stderr: `kann: error: …`, `kann: warning: …` and `kann: …`. stdout is for results alone.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace kann::cli {

/// Applies --quiet, --verbose and --color (with NO_COLOR and TERM). Before the first call: normal detail, plain text.
void configure_log(const Options& options);

void log_error(std::string_view message);
void log_warning(std::string_view message);  ///< not with --quiet
void log_info(std::string_view message);     ///< not with --quiet
void log_detail(std::string_view message);   ///< with --verbose only

/// Whether stderr is a terminal.
bool stderr_is_terminal();

/// The text with control characters written as \xNN, so that a message stays on its line whatever a file is called.
std::string printable(std::string_view text);

}  // namespace kann::cli
