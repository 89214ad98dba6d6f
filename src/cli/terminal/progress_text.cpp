#include "cli/terminal/progress_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/utf8.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {
namespace {

struct Character {
  std::size_t begin, size, columns;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t size = base::first_utf8_part(rest).size;
    characters.push_back({at, size, rest >= "\xe1\x84\x80" ? std::size_t{2} : std::size_t{1}});  // U+1100
    at += size;
  }
  return characters;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const Character& c : characters_of(text)) columns += c.columns;
  return columns;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  for (const Character& c : characters_of(text)) {
    if (c.columns > columns) return text.substr(0, c.begin);
    columns -= c.columns;
  }
  return text;
}

std::string_view last_columns(std::string_view text, std::size_t columns) {
  const auto characters = characters_of(text);
  for (auto c = characters.rbegin(); c != characters.rend(); ++c) {
    if (c->columns > columns) return text.substr(c->begin + c->size);
    columns -= c->columns;
  }
  return text;
}

}  // namespace

std::string short_number(double number) {
  constexpr const char* prefixes[] = {"", " k", " M", " G", " T"};
  std::size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix) number /= 1000;
  const int digits = prefix == 0 || number >= 9.95 ? 0 : 1;
  return fmt::format("{:.{}f}{}", number, digits, prefixes[prefix]);
}

std::string amount_text(const Amount& amount, double per_second, double seconds_left) {
  const bool is_bytes = amount.noun.empty();
  const auto text = [&](double number) {
    const std::string plain = short_number(number);
    return !is_bytes ? plain : plain.find(' ') == std::string::npos ? plain + " B" : plain + "B";
  };
  std::string out = text(amount.done);
  if (amount.total > 0) out += " of " + text(amount.total);
  if (!is_bytes) out.append(" ").append(amount.noun);
  if (per_second >= 0.05)
    out += ", " + (per_second < 9.95 && !is_bytes ? fmt::format("{:.1f}", per_second) : text(per_second)) + "/s";
  if (seconds_left > 0) out += ", " + duration_text(seconds_left) + " left";
  return out;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  std::size_t column = indent;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = columns_of(word);
    if (is_first) {
      column += width;
    } else if (column + 1 + width <= columns) {
      lines += ' ';
      column += 1 + width;
    } else {
      lines.append("\n").append(indent, ' ');
      column = indent + width;
    }
    lines += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string progress_line(std::string_view name, std::string_view figures, std::size_t columns) {
  constexpr std::string_view between = ": ", cut = "...";
  constexpr std::size_t minimum = 24, maximum_front = 11;  // columns of the name: "kann: read "
  const std::size_t of_figures = figures.empty() ? 0 : between.size() + columns_of(figures);
  const std::size_t room = std::max(std::min(minimum, columns), columns - std::min(columns, of_figures));
  std::string line(name);
  if (columns_of(name) > room && room > cut.size()) {
    const std::string_view front = first_columns(name, std::min(maximum_front, (room - cut.size()) / 2));
    line = std::string(front).append(cut).append(last_columns(name, room - cut.size() - columns_of(front)));
  }
  if (!figures.empty()) line.append(between).append(figures);
  return std::string(first_columns(line, columns));
}

}  // namespace kann::cli
