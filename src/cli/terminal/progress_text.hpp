// What the progress line says: how much is done, how fast, and how long it will take; no wider than the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kann::cli {

/// How far a phase is.
struct Amount {
  double done = 0;
  double total = 0;            ///< 0: not known
  std::string_view noun = {};  ///< "queries"; empty: bytes
};

/// "120 MB of 300 MB, 85 MB/s, 3 s left", "1.2 M of 8.4 M queries, 310 k/s, 24 s left". Rate and time are left out
/// where they are nearly 0.
std::string amount_text(const Amount& amount, double per_second, double seconds_left);

/// "999", "1.2 k", "85 M": three digits at most, and a prefix of the SI.
std::string short_number(double number);

/// `name`, a colon and `figures` within `columns` of a terminal. A name that is too long is shortened to what is being
/// done and the end of the file's name, which tells the files of a folder apart; of the figures, as much as fits is
/// shown. Characters from U+1100 on count as two columns, so that the line may be shorter than it seems, but never
/// longer.
std::string progress_line(std::string_view name, std::string_view figures, std::size_t columns);

/// The text with line breaks in place of blanks, so that no line is wider than `columns`, as far as its words allow.
/// The first line begins in column `indent`, and the others are indented by as many blanks.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace kann::cli
