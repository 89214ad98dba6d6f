#include "formats/text/csv_cells.hpp"

#include <algorithm>

#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

/// The text in quotes, and with its own ones doubled.
std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string header_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  double number = 0;
  if (name.empty() || parse_number(name, number) != NumberFault::not_a_number || name == "NA" || name == "null" ||
      name == "NULL")
    name = "column_" + name;
  return name;
}

std::string header_cell(const std::string& name) {
  std::string cell = header_name(name);
  return cell.find_first_of(",;\" \t'#") == std::string::npos ? cell : in_quotes(cell);
}

std::string text_cell(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool needs_quotes = text.find_first_of(",;\t\"\r\n") != std::string_view::npos ||
                            (!text.empty() && (is_blank(text.front()) || is_blank(text.back()))) ||
                            text.starts_with('#') || text.starts_with("//");
  return needs_quotes ? in_quotes(text) : std::string(text);
}

std::size_t longest_cell(const Attribute& attribute) {
  if (!attribute.texts) return k_longest_number;
  std::size_t longest = 0;
  for (const std::string& text : *attribute.texts) longest = std::max(longest, text.size());
  return 2 * longest + 2;  // all of them quotes
}

char* put_cell(char* out, const Attribute& attribute, std::int64_t row, std::string_view nan) {
  return std::visit(
      [&](const auto& values) {
        const auto value = values[static_cast<std::size_t>(row)];
        if (attribute.texts)
          return std::ranges::copy(text_cell((*attribute.texts)[static_cast<std::size_t>(value)]), out).out;
        if constexpr (std::is_floating_point_v<decltype(value)>)
          if (std::isnan(value)) return std::ranges::copy(nan, out).out;
        return put_number(out, value);
      },
      attribute.values);
}

}  // namespace kann::formats
