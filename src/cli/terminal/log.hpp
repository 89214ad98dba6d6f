// Lines on stderr: `kann: error: …`, `kann: warning: …` and `kann: …`. stdout carries results only.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/options/options.hpp"

namespace kann::cli {

/// Applies --quiet, --verbose and --color (with NO_COLOR and TERM). Until the first call: no details, no colour.
void configure_log(const Options& options);

void log_error(std::string_view message);
void log_warning(std::string_view message);  ///< without --quiet
void log_info(std::string_view message);     ///< without --quiet; in a terminal, lines break between words
void log_detail(std::string_view message);   ///< with --verbose only; likewise

/// Whether stderr is a terminal.
bool stderr_is_terminal();

/// Whether the progress line is shown.
bool shows_progress(const Options& options);

/// The columns that may be used: one less than the terminal has, as some wrap after the last column; 79 if the width is
/// unknown.
std::size_t columns_of_stderr();

}  // namespace kann::cli
