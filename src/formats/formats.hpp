// The one table of formats that are recognised: their names, their first bytes and, for formats that are not read, what
// to do.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::formats {

struct Format {
  std::string_view title;                           ///< in messages
  std::array<std::string_view, 4> extensions = {};  ///< lower case, no dot; unused ones are empty
  std::array<std::string_view, 4> magics = {};      ///< each file begins with one of them; all empty: with anything
  std::optional<PointFormat> reader = {};           ///< none: the format is not read
  std::string_view hint = {};  ///< if not, or not always: how to convert {file} on Debian 12 and Ubuntu 24.04
  bool (*is_content)(std::string_view head) = nullptr;  ///< recognises a file by more than its first bytes; may be null
  bool (*has_library)() = nullptr;  ///< whether this build can use the reader; null: every build can
  bool is_table = false;            ///< whether it is text with rows, which are read where the user chooses columns

  /// Whether files of this format are read.
  bool is_read() const { return reader && (!has_library || has_library()); }

  bool has_extension(std::string_view extension) const;

  /// Whether a file of this format is numbers from its first byte on, so that it may begin with any bytes.
  bool is_binary_without_magic() const {
    return reader && magics[0].empty() && !is_content && *reader != PointFormat::text;
  }

  bool has_magic_of(std::string_view head) const { return magic_of(head) > 0; }

  /// How many bytes of the head say that it is this format; 0 if none.
  std::size_t magic_of(std::string_view head) const;

  /// The `hint` for a file; `option` is the option that names its format.
  std::string hint_for(const std::string& file, const std::string& option) const;
};

/// No two have an extension or a first byte sequence in common.
std::span<const Format> known_formats();

/// The entry of a format that is read.
const Format& format_of(PointFormat reader);

}  // namespace kann::formats
