// Chooses a file's format: the user's choice, else by its content if that is certain, else by its extension.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::formats {

struct FormatChoice {
  PointFormat format;
  std::string warning;  ///< says that content and extension disagree; else empty
};

/// Chooses the format of the file named `file` that begins with `head`.
/// @throws Error bad_input for an empty file, unless it is text without rows; for a format that is recognised but not
/// read (compressed, E57, ...), naming a command that
///         converts it, and for a format of `options` that the head contradicts; usage if nothing says the format.
FormatChoice choose_format(const std::string& file, std::string_view head, const ReadOptions& options);

}  // namespace kann::formats
