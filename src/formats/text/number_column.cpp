#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "formats/files/input.hpp"
#include "formats/table/number.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_first_values = 64;  // of thousands of columns, parts of a file have a few rows each

bool is_exact_as_float64(std::integral auto whole) {
  const auto bits = static_cast<std::uint64_t>(whole);
  const std::uint64_t magnitude = std::cmp_less(whole, 0) ? -bits : bits;
  return std::bit_width(magnitude) - (magnitude == 0 ? 0 : std::countr_zero(magnitude)) <=
         std::numeric_limits<double>::digits;
}

}  // namespace

template <class T>
void append(Array<T>& values, T value, const std::string& file) {
  if (values.size() == values.capacity()) {
    const std::size_t capacity = std::max(k_first_values, 2 * values.capacity());
    base::check_host_memory(static_cast<double>(capacity * sizeof(T)), file.c_str());
    values.reserve(capacity);
  }
  values.push_back(value);
}

template void append(Array<std::int64_t>&, std::int64_t, const std::string&);

std::string NumberColumn::add(std::string_view cell, const std::string& file) {
  std::int64_t whole = 0;
  const NumberFault fault = parse_whole(cell, whole);
  if (fault == NumberFault::none && (whole != 0 || cell.front() != '-')) return add_whole(whole, file);
  if (std::uint64_t count = 0; fault == NumberFault::out_of_range && parse_count(cell, count) == NumberFault::none)
    return add_whole(count, file);
  return add_other(cell, file);
}

std::string NumberColumn::add_whole(std::integral auto value, const std::string& file) {
  has_negative_ |= std::cmp_less(value, 0);
  if (inexact_.empty() && !is_exact_as_float64(value)) inexact_ = fmt::to_string(value);
  const auto add_as = [&]<class T>(T) {
    auto* const held = std::get_if<Array<T>>(&values);
    if (held && std::in_range<T>(value)) append(*held, static_cast<T>(value), file);
    return held && std::in_range<T>(value);
  };
  if (add_as(std::int32_t{})) return "";
  if (std::holds_alternative<Array<std::int32_t>>(values)) widen<std::int64_t>(file);
  if (add_as(std::int64_t{})) return "";
  if (std::holds_alternative<Array<std::int64_t>>(values) && !has_negative_) widen<std::uint64_t>(file);
  if (add_as(std::uint64_t{})) return "";
  if (!inexact_.empty()) return loss();
  if (!std::holds_alternative<Array<double>>(values)) widen<double>(file);
  append(std::get<Array<double>>(values), static_cast<double>(value), file);
  return "";
}

std::string NumberColumn::add_other(std::string_view cell, const std::string& file) {
  double value = 0;
  const NumberFault fault = parse_number(cell, value);
  if (fault != NumberFault::none) {
    if (!is_missing_value(cell)) return std::string(describe(fault));
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (is_rounded_whole(cell, value)) {
    return "is a whole number that neither 64 bits nor float64 hold";
  }
  if (!inexact_.empty()) return loss();
  if (!std::holds_alternative<Array<double>>(values)) widen<double>(file);
  append(std::get<Array<double>>(values), value, file);
  return "";
}

/// What float64, which the column needs now, would do to it.
std::string NumberColumn::loss() const {
  return "has " + inexact_ + ", which float64 does not hold, and needs float64";
}

/// Gives the values another type, which holds all of them.
template <class T>
void NumberColumn::widen(const std::string& file) {
  Array<T> wider;
  std::visit(
      [&](const auto& narrow) {
        base::check_host_memory(static_cast<double>(narrow.capacity() * sizeof(T)), file.c_str());
        wider.reserve(narrow.capacity());
        for (const auto value : narrow) wider.push_back(static_cast<T>(value));
      },
      values);
  values = std::move(wider);
}

}  // namespace kann::formats
