// Which format a file is in: what the user said, else its content where that is certain, else its extension.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

struct FormatChoice {
  PointFormat format;
  std::string warning;  ///< empty, or that content and extension disagree
};

/// Chooses the reader for a file called `file` that begins with `head`. `asked` is the user's word and wins.
/// @throws Error bad_input, naming a tool that converts it, for a format that is recognised but not read (compressed,
///         LAS, PCD, …); usage when no format can be told.
FormatChoice choose_format(const std::string& file, std::string_view head, std::optional<PointFormat> asked);

/// The bytes that every file of that format begins with; none for text.
std::string_view magic_of(PointFormat format);

}  // namespace kann::io
