#include "cli/json/earlier_report.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/json/json_object.hpp"
#include "cli/json/json_writer.hpp"
#include "formats/files/descriptor.hpp"

namespace kann::cli {
namespace {

constexpr off_t k_max_bytes = off_t{16} << 20;

/// The content of a file; none if it cannot be read or is larger than any report. std::ifstream is not used, as it
/// reports a lack of memory as a missing file.
std::optional<std::string> content(const std::string& path) {
  const formats::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0 || status.st_size > k_max_bytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t size = 0; size < text.size();) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got == 0 || (got < 0 && errno != EINTR)) return std::nullopt;
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  return text;
}

/// The value of a key as it stands in the text; empty if the key is missing or occurs twice.
std::string_view value_of(const JsonMembers& members, std::string_view key) {
  const auto has_key = [&](const auto& member) { return member.first == key; };
  if (std::ranges::count_if(members, has_key) != 1) return {};
  return std::ranges::find_if(members, has_key)->second;
}

bool is_count(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}
bool is_object_or_null(std::string_view value) { return value.starts_with('{') || value == "null"; }
bool is_bool(std::string_view value) { return value == "true" || value == "false"; }

/// Whether the members are those that every version of report_json() has written.
bool is_report(const JsonMembers& members) {
  const auto of = [&](std::string_view key) { return value_of(members, key); };
  const auto kann = read_json_object(of("kann"));
  return kann && value_of(*kann, "version").starts_with('"') && value_of(*kann, "commit").starts_with('"') &&
         is_count(of("version")) && (is_count(of("k")) || of("k") == "\"all\"") && is_object_or_null(of("data")) &&
         is_object_or_null(of("query")) && is_object_or_null(of("device")) && is_object_or_null(of("output")) &&
         is_bool(of("self_query")) && of("method").starts_with('"') && of("timing_s").starts_with('{') &&
         of("memory_peak_bytes").starts_with('{') && of("warnings").starts_with('[');
}

/// Whether the first line is a report, as in the report of a batch, which may be a long file.
bool begins_with_report_line(const std::string& path) {
  const formats::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return false;
  std::string text(std::size_t{64} << 10, '\0');
  const ssize_t got = read(file.get(), text.data(), text.size());
  const std::size_t end = text.find('\n');
  if (got <= 0 || end >= static_cast<std::size_t>(got)) return false;
  const auto members = read_json_object(std::string_view(text).substr(0, end));
  return members && is_report(*members);
}

}  // namespace

bool is_empty_or_report(const std::string& path) {
  if (begins_with_report_line(path)) return true;
  const std::optional<std::string> text = content(path);
  if (!text) return false;
  const auto members = read_json_object(*text);
  return text->empty() || (members && is_report(*members));
}

bool is_report_of(const std::string& path, const std::string& output) {
  const std::optional<std::string> text = content(path);
  const auto members = text ? read_json_object(*text) : std::nullopt;
  if (!members || !is_report(*members)) return false;
  if (std::ranges::any_of(*members, [](const auto& member) { return member.first == "error"; })) return false;
  const auto written = read_json_object(value_of(*members, "output"));
  JsonWriter wanted(JsonWriter::Style::compact);
  wanted.value(output);
  return written && value_of(*written, "path") == wanted.text();
}

}  // namespace kann::cli
