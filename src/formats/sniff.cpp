#include "formats/sniff.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

#include "kann/error.hpp"

#include "formats/files/refusal.hpp"
#include "formats/formats.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

const Format* find_format(auto matches) {
  const auto found = std::ranges::find_if(known_formats(), matches);
  return found == known_formats().end() ? nullptr : &*found;
}
const Format* format_by_extension(std::string_view extension) {
  return find_format([&](const Format& f) { return f.has_extension(lower(extension)); });
}

[[noreturn]] void refuse_format(const std::string& file, const Format& format, const ReadOptions& options) {
  refuse(file, fmt::format("{} is not read; {}", format.title, format.hint_for(file, options.format_option)));
}

bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](unsigned char c) { return c >= ' ' || std::isspace(c); }) &&
         guess_text_layout(head).is_certain;
}

/// Refuses a file that begins like a file of another format than the one that the user names.
void check_request(const std::string& file, std::string_view head, const Format& requested, const Format* by_magic,
                   const ReadOptions& options) {
  // Numbers may begin with any two or three bytes
  constexpr std::size_t is_certain = 4;
  const bool is_numbers = requested.is_binary_without_magic();
  const bool is_other = by_magic && by_magic != &requested && (!is_numbers || by_magic->magic_of(head) >= is_certain);
  if (!is_other && !(is_numbers && is_text(head))) return;
  if (is_other && !by_magic->is_read()) refuse_format(file, *by_magic, options);
  refuse(file, fmt::format("it begins as a file of {} does, but {} says {}", is_other ? by_magic->title : "text",
                           options.format_option, requested.title));
}

}  // namespace

FormatChoice choose_format(const std::string& file, std::string_view head, const ReadOptions& options) {
  const Format* const by_magic =
      find_format([&](const Format& f) { return f.has_magic_of(head) && (options.columns.empty() || !f.is_table); });
  if (options.format) {
    const Format& requested = format_of(*options.format);
    if (head.empty() && requested.reader != PointFormat::text) refuse(file, "empty file");
    check_request(file, head, requested, by_magic, options);
    if (!requested.is_read()) refuse_format(file, requested, options);
    return {*options.format, {}};
  }
  if (by_magic && !by_magic->is_read()) refuse_format(file, *by_magic, options);

  const std::string dotted = std::filesystem::path(file).extension().string();
  const Format* const by_extension = format_by_extension(std::string_view(dotted).substr(dotted.empty() ? 0 : 1));
  const bool reads_extension = by_extension && by_extension->is_read();
  if (head.empty() && !(by_extension && by_extension->reader == PointFormat::text)) refuse(file, "empty file");
  if (by_magic) {
    // An extension that is not read says nothing, as in cloud.bin; but LAZ says that it is no LAS.
    const bool says_other = reads_extension || (by_extension && by_extension->is_content);
    if (says_other && by_extension != by_magic)
      return {*by_magic->reader, fmt::format("{}: read as {}, as its content says, though its extension says {}", file,
                                             by_magic->title, by_extension->title)};
    return {*by_magic->reader, {}};
  }
  if (reads_extension) return {*by_extension->reader, {}};

  if (guess_text_layout(head, ReadOptions{.quotes = options.quotes}).is_certain) return {PointFormat::text, {}};
  if (by_extension) refuse_format(file, *by_extension, options);
  throw Error(ErrorKind::usage, fmt::format("{}: cannot tell its format; name it with {} ({})", file,
                                            options.format_option, k_point_formats));
}

}  // namespace kann::formats

namespace kann {

std::optional<PointFormat> point_format(std::string_view name) {
  const formats::Format* const format = formats::format_by_extension(name);
  return format ? format->reader : std::nullopt;
}

}  // namespace kann
