#include "formats/text/csv_cells.hpp"

#include <algorithm>

#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

/// Appends a text in quotes, its own ones doubled.
char* put_in_quotes(char* out, std::string_view text) {
  *out++ = '"';
  for (const char c : text) {
    if (c == '"') *out++ = '"';
    *out++ = c;
  }
  *out++ = '"';
  return out;
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
  if (cell.find_first_of(",;\" \t'#") == std::string::npos) return cell;
  std::string quoted(2 * cell.size() + 2, ' ');
  quoted.resize(static_cast<std::size_t>(put_in_quotes(quoted.data(), cell) - quoted.data()));
  return quoted;
}

bool needs_quotes(std::string_view text) {
  const auto is_special = [](char c) {
    return c == ',' || c == ';' || c == '\t' || c == '"' || c == '\r' || c == '\n';
  };
  if (text.empty()) return false;
  return std::ranges::any_of(text, is_special) || is_blank(text.front()) || is_blank(text.back()) ||
         text.front() == '#' || text.starts_with("//");
}

std::size_t longest_cell(const Attribute& attribute) {
  if (!attribute.texts) return k_longest_number;
  std::size_t longest = 0;
  for (const std::int64_t value : std::get<Array<std::int64_t>>(attribute.values))
    longest = std::max(longest, attribute.texts->at(value).size());
  return 2 * longest + 2;  // all of them quotes
}

void fetch_value(const Attribute& attribute, std::int64_t row) {
  std::visit([&](const auto& values) { __builtin_prefetch(&values[static_cast<std::size_t>(row)]); }, attribute.values);
}

void fetch_text(const Attribute& attribute, std::int64_t row) {
  if (!attribute.texts) return;
  const auto& values = std::get<Array<std::int64_t>>(attribute.values);
  __builtin_prefetch(attribute.texts->at(values[static_cast<std::size_t>(row)]).data());
}

char* put_cell(char* out, const Attribute& attribute, std::int64_t row, std::string_view nan) {
  const auto place = static_cast<std::size_t>(row);
  if (attribute.texts) {
    const std::int64_t value = std::get<Array<std::int64_t>>(attribute.values)[place];
    const std::string_view text = attribute.texts->at(value);
    if (value & Texts::k_needs_quotes) return put_in_quotes(out, text);
    if (value & Texts::k_in_quotes) *out++ = '"';
    out = std::ranges::copy(text, out).out;
    if (value & Texts::k_in_quotes) *out++ = '"';
    return out;
  }
  return std::visit(
      [&](const auto& values) {
        const auto value = values[place];
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
          if (std::isnan(value)) return std::ranges::copy(nan, out).out;
        return put_number(out, value);
      },
      attribute.values);
}

}  // namespace kann::formats
