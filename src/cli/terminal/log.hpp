// Lines on stderr: `kann: error: …`, `kann: warning: …` and `kann: …`. stdout carries results only.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.hpp"

namespace kann::cli {

/// Applies --quiet, --verbose and --color (with NO_COLOR and TERM). Until the first call: no details, no colour.
void configure_log(const Options& options);

void log_error(std::string_view message);
void log_warning(std::string_view message);  ///< without --quiet
void log_info(std::string_view message);     ///< without --quiet
void log_detail(std::string_view message);   ///< with --verbose only

/// Whether stderr is a terminal.
bool stderr_is_terminal();

/// The text with control characters (of C0, C1, and DEL) and bytes that are not UTF-8 written as \xNN, so that a file
/// name can neither break a message into two lines nor send commands to a terminal.
std::string printable(std::string_view text);

}  // namespace kann::cli
