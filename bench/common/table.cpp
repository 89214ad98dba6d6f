#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kann::bench {
namespace {

/// The number of characters, not bytes: headers have characters like ≥.
int width_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::FILE* out, const std::string& title, int first_width, std::vector<std::string> headers) : out_(out) {
  for (const std::string& header : headers)
    widths_.push_back(widths_.empty() ? std::max(first_width, width_of(header)) : std::max(8, width_of(header)));
  fmt::print(out_, "\n{}\n", title);
  row(headers);
}

void Table::row(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size() && i < widths_.size(); ++i) {
    const std::string& cell = cells[i].empty() ? "-" : cells[i];
    const std::string gap(static_cast<std::size_t>(std::max(0, widths_[i] - width_of(cell))), ' ');
    line += i == 0 ? cell + gap : "  " + gap + cell;
  }
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

std::string ms_text(double seconds) {
  const double ms = seconds * 1e3;
  if (!(ms > 0)) return fmt::format("{:.0f}", ms);
  const int digits = 2 - static_cast<int>(std::floor(std::log10(ms)));
  return fmt::format("{:.{}f}", ms, std::clamp(digits, 0, 6));
}

std::string number_text(std::optional<double> value, int digits) { return value ? number_text(*value, digits) : ""; }
std::string number_text(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

std::string power_text(int log2) { return fmt::format("2^{}", log2); }

}  // namespace kann::bench
