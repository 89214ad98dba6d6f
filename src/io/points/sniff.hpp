// Chooses a file's format: the user's choice, else by its content if that is certain, else by its extension.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

struct FormatChoice {
  PointFormat format;
  std::string warning;  ///< that content and extension disagree; else empty
};

/// Chooses the format of the file named `file` that begins with `head`. `requested` is the user's choice and overrides
/// the others.
/// @throws Error bad_input for a format that is recognised but not read (compressed, LAS, PCD, …), naming a command
/// that
///         converts it; usage if the format cannot be determined.
FormatChoice choose_format(const std::string& file, std::string_view head, std::optional<PointFormat> requested);

}  // namespace kann::io
