#include "io/points/sniff.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

#include "kann/error.hpp"

#include "io/files/refusal.hpp"
#include "io/points/formats.hpp"
#include "io/points/text/text_layout.hpp"

namespace kann::io {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

const Format* find_format(auto matches) {
  const auto found = std::ranges::find_if(formats(), matches);
  return found == formats().end() ? nullptr : &*found;
}
const Format* format_by_extension(std::string_view extension) {
  return find_format([&](const Format& f) { return f.has_extension(lower(extension)); });
}

[[noreturn]] void refuse_format(const std::string& file, const Format& format) {
  refuse(file, fmt::format("{} is not read; {}", format.title, format.hint));
}

}  // namespace

FormatChoice choose_format(const std::string& file, std::string_view head, std::optional<PointFormat> requested) {
  const Format* const by_magic = find_format([&](const Format& f) { return f.has_magic_of(head); });
  if (by_magic && !by_magic->reader) refuse_format(file, *by_magic);
  if (requested) return {*requested, {}};

  const std::string dotted = std::filesystem::path(file).extension().string();
  const Format* const by_extension = format_by_extension(std::string_view(dotted).substr(dotted.empty() ? 0 : 1));
  const bool reads_extension = by_extension && by_extension->reader;
  if (by_magic) {
    // An extension that is not read says nothing, as in cloud.bin; but LAZ says that it is no LAS.
    const bool says_other = reads_extension || (by_extension && by_extension->is_content);
    if (says_other && by_extension != by_magic)
      return {*by_magic->reader, fmt::format("{}: read as {}, which its content is; its extension says {}", file,
                                             by_magic->title, by_extension->title)};
    return {*by_magic->reader, {}};
  }
  if (reads_extension) return {*by_extension->reader, {}};

  if (guess_text_layout(head).is_certain || begins_with_count(head)) return {PointFormat::text, {}};
  if (by_extension) refuse_format(file, *by_extension);
  throw Error(ErrorKind::usage,
              fmt::format("{}: cannot tell its format; name it with --data-format or --query-format ({})", file,
                          k_point_formats));
}

}  // namespace kann::io

namespace kann {

std::optional<PointFormat> point_format(std::string_view name) {
  const io::Format* const format = io::format_by_extension(name);
  return format ? format->reader : std::nullopt;
}

}  // namespace kann
