#include "kann/condition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/letter_case.hpp"
#include "base/usage_error.hpp"
#include "formats/files/refusal.hpp"
#include "formats/text/text_layout.hpp"

namespace kann {
namespace {

using formats::excerpt;
using Operator = Criterion::Operator;

constexpr std::string_view k_blanks = " \t\r\n";

constexpr std::pair<std::string_view, Operator> k_operators[] = {  // the longer of two that begin alike first
    {"!=", Operator::not_equal}, {"<>", Operator::not_equal}, {"<=", Operator::at_most}, {">=", Operator::at_least},
    {"==", Operator::equal},     {"=", Operator::equal},      {"<", Operator::less},     {">", Operator::greater}};

/// long double holds whole numbers of 64 bits.
std::optional<long double> number_of(std::string_view text) {
  long double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && stop == text.data() + text.size() && !std::isnan(number);
  return is_number ? std::optional(number) : std::nullopt;
}

/// Takes a condition apart, from its beginning on.
class Parser {
 public:
  Parser(const std::string& option, const std::string& text) : option_(option), text_(text), rest_(text) {}

  Condition parse() {
    Condition condition{option_, text_, {}};
    do {
      Criterion criterion{word("a column"), Operator::equal, {}};
      skip_blanks();
      const auto found = std::ranges::find_if(k_operators, [&](const auto& o) { return rest_.starts_with(o.first); });
      const bool is_list = found == std::end(k_operators);
      if (is_list && !takes("in")) refuse("one of = != < <= > >= or in");
      if (!is_list) {
        criterion.op = found->second;
        rest_.remove_prefix(found->first.size());
      }
      do {
        criterion.values.push_back(word("a number or a word"));
        skip_blanks();
      } while (is_list && takes(","));
      condition.all.push_back(std::move(criterion));
    } while (takes("and"));
    if (!rest_.empty()) refuse("and");
    return condition;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(k_blanks))); }

  bool takes(std::string_view token) {
    skip_blanks();
    const std::string_view after = rest_.substr(std::min(rest_.size(), token.size()));
    const bool is_whole = token == "," || after.empty() || after.find_first_of(" \t\r\n\"") == 0;
    if (!base::equal_in_any_case(rest_.substr(0, token.size()), token) || !is_whole) return false;
    rest_ = after;
    return true;
  }

  /// A word, or what is in quotes.
  std::string word(std::string_view what) {
    skip_blanks();
    std::string word;
    std::size_t at = 0;
    const char quote = rest_.empty() ? ' ' : rest_[0];
    if (quote != '"' && quote != '\'') {
      at = std::min(rest_.find_first_of(" \t\r\n=!<>,\"()"), rest_.size());
      word = rest_.substr(0, at);
      if (word.empty()) refuse(what);
    } else {
      do {  // two quotes are one of the text
        const std::size_t end = rest_.find(quote, at + 1);
        if (end == rest_.npos) refuse(what);
        word += rest_.substr(at + 1, end - at - 1);
        at = end + 1;
        if (rest_.substr(at).starts_with(quote)) word += quote;
      } while (rest_.substr(at).starts_with(quote));
    }
    rest_.remove_prefix(at);
    return word;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    const std::size_t at = text_.size() - rest_.size();
    base::fail_usage(fmt::format(
        "{} expects {} {}, as in \"z > 0.5 and class in 2,6\", got '{}'", option_, what,
        rest_.empty() ? "at its end" : fmt::format("before '{}'", excerpt(text_.substr(at))), excerpt(text_)));
  }

  const std::string &option_, &text_;
  std::string_view rest_;
};

template <class T>
bool holds(Operator op, T value, T limit) {
  switch (op) {
    case Operator::equal:
      return value == limit;
    case Operator::not_equal:
      return value != limit;
    case Operator::less:
      return value < limit;
    case Operator::at_most:
      return value <= limit;
    case Operator::greater:
      return value > limit;
    case Operator::at_least:
      return value >= limit;
  }
  return false;
}

}  // namespace

void Condition::add(Condition more) {
  if (!more) return;
  text += (text.empty() ? "" : " and ") + more.text;
  option = std::move(more.option);
  std::ranges::move(more.all, std::back_inserter(all));
}

Condition parse_condition(const std::string& option, const std::string& text) {
  return text == "none" ? Condition() : Parser(option, text).parse();
}

std::string fault_of(const Criterion& criterion, const Attribute& column) {
  if (column.texts) return criterion.needs_numbers() ? "is text, which =, != and in compare" : "";
  for (const std::string& value : criterion.values)
    if (!number_of(value)) return fmt::format("has numbers, and '{}' is none", excerpt(value));
  return "";
}

void compare(const Criterion& criterion, const Attribute& column, std::span<std::uint8_t> met) {
  const bool is_list = criterion.op == Operator::equal;
  if (column.texts) {
    const auto& values = std::get<Array<std::int64_t>>(column.values);
    for (std::size_t i = 0; i < met.size(); ++i) {
      const std::string_view text = column.texts->at(values[i]);
      const bool is_missing = formats::is_missing_value(text) || base::equal_in_any_case(text, "nan");  // as in groups
      met[i] &= (std::ranges::count(criterion.values, text) > 0) == is_list && !is_missing;
    }
    return;
  }
  std::vector<long double> limits;
  for (const std::string& value : criterion.values) limits.push_back(number_of(value).value());
  std::visit(
      [&]<class T>(const Array<T>& values) {
        using Number = std::conditional_t<std::is_floating_point_v<T>, T, long double>;  // 0.1 is that of the column
        for (std::size_t i = 0; i < met.size(); ++i)
          met[i] &= !column.is_missing(values[i]) && std::ranges::any_of(limits, [&](long double limit) {
            return holds(criterion.op, static_cast<Number>(values[i]), static_cast<Number>(limit));
          });
      },
      column.values);
}

}  // namespace kann
