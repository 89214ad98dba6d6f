#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/facts/facts.hpp"

namespace kann::cli {
namespace {

struct Shown {
  int digits;

  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  std::string operator()(double number) const {
    return std::isnan(number) ? "-" : fmt::format("{:.{}g}", number, digits);
  }
  std::string operator()(const std::string& text) const { return text; }
  template <std::integral T>
  std::string operator()(T number) const {
    return std::to_string(number);
  }
  template <class T>
  std::string operator()(const std::vector<T>& all) const {
    return fmt::format("{}", fmt::join(all, ", "));
  }
  std::string operator()(const Facts&) const { return ""; }  // their own facts are shown
  std::string operator()(const Table&) const { return ""; }
};

std::string shown(const Fact& fact, int digits) {
  return fact.shown.empty() ? std::visit(Shown{digits}, static_cast<const Value::Variant&>(fact.value)) : fact.shown;
}

}  // namespace

const Value* find(const Facts& facts, std::string_view key) {
  const auto found = std::ranges::find(facts, key, &Fact::key);
  return found == facts.end() ? nullptr : &found->value;
}

std::vector<std::pair<std::string_view, std::string>> labelled(const Facts& facts) {
  std::vector<std::pair<std::string_view, std::string>> all;
  for (const Fact& fact : facts) {
    if (!fact.label.empty()) all.emplace_back(fact.label, shown(fact, 6));
    if (const auto* const within = std::get_if<Facts>(&fact.value))
      std::ranges::move(labelled(*within), std::back_inserter(all));
  }
  return all;
}

std::vector<std::vector<std::string>> cells(const std::vector<Facts>& rows, int digits) {
  std::vector<std::vector<std::string>> all;
  for (const Facts& row : rows) {
    if (all.empty()) {
      all.emplace_back();
      for (const Fact& fact : row)
        if (!fact.label.empty()) all[0].emplace_back(fact.label);
    }
    all.emplace_back();
    for (const Fact& fact : row)
      if (!fact.label.empty()) all.back().push_back(shown(fact, digits));
  }
  return all;
}

std::vector<std::string> lines(const std::vector<std::vector<std::string>>& cells, std::size_t flush_left,
                               std::size_t gap) {
  std::vector<std::string> all(cells.size());
  for (std::size_t column = 0; !cells.empty() && column < cells[0].size(); ++column) {
    std::size_t width = 0;
    for (const auto& row : cells) width = std::max(width, row[column].size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (column > 0) all[i].append(gap, ' ');
      all[i] += column < flush_left ? fmt::format("{:<{}}", cells[i][column], width)
                                    : fmt::format("{:>{}}", cells[i][column], width);
    }
  }
  for (std::string& line : all) line.erase(line.find_last_not_of(' ') + 1);
  return all;
}

}  // namespace kann::cli
