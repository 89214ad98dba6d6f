#include "formats/text/text_attributes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/attributes.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_most_columns = 4096;  // a line of a megabyte may have half a million, an array each

/// Two quotes within quotes are one.
std::string unescaped(std::string_view field) {
  std::string name(field);
  for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at) name.erase(at, 1);
  return name;
}

/// Whether the cell looks like a number and is a name: 007, or a whole number that float64 may not hold.
bool is_name(std::string_view cell) {
  constexpr std::size_t digits_of_float64 = 15;
  if (cell.starts_with('-')) cell.remove_prefix(1);
  return cell.size() > 1 && (cell[0] == '0' || cell.size() > digits_of_float64) &&
         std::ranges::all_of(cell, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::int32_t TextNumbers::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? -1 : found->second;
}

std::int32_t TextNumbers::add(std::string_view text) {
  if (const std::int32_t known = find(text); known >= 0) return known;
  if (texts_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) return -1;
  const auto number = static_cast<std::int32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

TextAttributes::TextAttributes(const TextLayout& layout, const ReadOptions& options,
                               std::span<const std::size_t> text_columns, const std::string& file,
                               std::vector<std::string>& warnings)
    : file_(&file),
      takes_texts_(options.texts),
      takes_names_(options.texts && !options.names_are_numbers),
      has_decimal_commas_(layout.has_decimal_commas) {
  if (!wants_attributes(options)) return;
  if (options.all_attributes && layout.table.count > k_most_columns)
    refuse(file, fmt::format("{} columns are too many to be attributes (need at most {}); name those that are wanted",
                             layout.table.count, k_most_columns));
  std::vector<AttributeColumn> table(layout.table.count);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i < layout.table.names.size()) table[i].name = unescaped(layout.table.names[i]);
    if (table[i].name.empty()) table[i].name = fmt::format("column_{}", i + 1);
  }
  if (options.coordinates_too && layout.table.names.empty())
    for (std::size_t axis = 0; axis < layout.axes.size(); ++axis)
      table[layout.axes[axis]].name = std::string(1, "xyz"[axis]);
  of_column_.assign(table.size(), k_none);
  chosen_ = chosen_attributes(layout.table.noun, table, layout.axes, options, file, warnings);
  // Without names, the third column is z, also where --columns takes the first two alone
  if (layout.table.names.empty() && std::ranges::equal(layout.axes, std::array<std::size_t, 2>{0, 1}))
    if (const auto z = std::ranges::find(chosen_.columns, std::size_t{2}); z != chosen_.columns.end())
      chosen_.meanings[static_cast<std::size_t>(z - chosen_.columns.begin())] = Meaning::coordinate;
  for (const std::size_t column : chosen_.columns) {
    of_column_[column] = columns_.size();
    columns_.push_back({table[column].name});
    if (std::ranges::count(text_columns, column) > 0) columns_.back().texts = std::make_shared<TextNumbers>();
  }
  for (const auto& places : chosen_.asked)
    for (const std::size_t place : places) columns_[place].is_asked_for = true;
}

void TextAttributes::add(std::size_t column, const TextCell& of_row, std::int64_t line) {
  Column& to = columns_[of_column_[column]];
  const std::string_view cell = of_row.text;
  const bool may_be_number = !to.texts && !(takes_names_ && is_name(cell));
  const std::string fault =
      !may_be_number ? "is text" : to.numbers.add(has_decimal_commas_ ? with_decimal_point(cell) : cell, *file_);
  if (fault.empty()) {
    to.has_numbers |= !cell.empty();
  } else if (to.texts || (takes_texts_ && become_text(column, line))) {
    append(std::get<Array<std::int32_t>>(to.numbers.values), number_of(to, of_row), *file_);
  } else if (takes_texts_) {
    leave_out(column, "is read again");
  } else if (to.is_asked_for) {
    refuse_line(
        *file_, line,
        fmt::format("column {} {}: {}{}", column + 1, fault, quote(cell),
                    is_known_ ? "" : "; as text, it goes into tables of --join and --output-format cloud-csv alone"));
  } else {
    leave_out(column, fmt::format("{} in line {}: {}", fault, line, quote(cell)));
  }
}

/// Makes a column text whose cells were all empty so far. Returns false if they were not: it is one of late_texts().
bool TextAttributes::become_text(std::size_t column, std::int64_t line) {
  Column& to = columns_[of_column_[column]];
  if (to.has_numbers) {
    late_texts_.push_back({column, line});
    return false;
  }
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, to.numbers.values);
  to.numbers.values = Array<std::int32_t>(rows, 0);
  to.texts = std::make_shared<TextNumbers>();
  return true;
}

std::int32_t TextAttributes::number_of(const Column& column, const TextCell& of_row) {
  std::string without_doubled;
  std::string_view cell = of_row.in_quotes.value_or(of_row.text);
  if (of_row.in_quotes) {
    if (cell.find('"') != std::string_view::npos) cell = without_doubled = unescaped(cell);
  }
  const std::int32_t known = column.texts->find(cell);
  if (known >= 0) return known;
  if (is_known_) refuse(*file_, "changed while it was read");
  constexpr double checked_bytes = 1 << 26, bytes_of_text = 96;  // with its key and its number
  text_bytes_ += bytes_of_text + static_cast<double>(cell.size());
  if (text_bytes_ > checked_bytes) check_large_allocation(std::exchange(text_bytes_, 0), *file_);
  const std::int32_t number = column.texts->add(cell);
  if (number < 0) refuse(*file_, fmt::format("{}: more different texts than int32 counts", quote(column.name)));
  return number;
}

void TextAttributes::leave_out(std::size_t column, const std::string& fault) {
  Column& left = columns_[of_column_[column]];
  left.fault = fault;
  left.numbers = {};
  of_column_[column] = k_none;
}

void TextAttributes::drop_values() {
  for (Column& column : columns_) std::visit([](auto& values) { values.clear(); }, column.numbers.values);
}

TextAttributes TextAttributes::known(const std::string& file) const {
  TextAttributes same;
  same.file_ = &file;
  same.is_known_ = true;
  same.has_decimal_commas_ = has_decimal_commas_;
  same.of_column_.assign(of_column_.size(), k_none);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    const Column& column = columns_[place];
    if (!column.fault.empty()) continue;
    same.of_column_[chosen_.columns[place]] = same.columns_.size();
    same.columns_.push_back({column.name, {}, "", true, true, column.texts});
    std::visit([&]<class T>(const Array<T>&) { same.columns_.back().numbers.values = Array<T>(); },
               column.numbers.values);
  }
  return same;
}

void TextAttributes::move_to(Cloud& cloud) {
  std::vector<std::string> left_out;
  std::vector<std::size_t> places;  // places of columns_ in the cloud; meaningless for those left out
  for (Column& column : columns_) {
    places.push_back(cloud.attributes.size());
    if (!column.fault.empty())
      left_out.push_back(quote(column.name) + " " + column.fault);
    else
      std::visit(
          [&](auto& values) {
            cloud.attributes.push_back({std::move(column.name), std::move(values)});
            if (column.texts) cloud.attributes.back().texts = {column.texts, &column.texts->texts()};
          },
          column.numbers.values);
  }
  for (auto& asked : chosen_.asked)
    for (std::size_t& place : asked) place = places[place];
  for (std::size_t place = columns_.size(); place-- > 0;)
    if (!columns_[place].fault.empty())
      chosen_.meanings.erase(chosen_.meanings.begin() + static_cast<std::ptrdiff_t>(place));
  chosen_.describe(cloud);
  if (!left_out.empty()) warn_of_left_out(left_out, *file_, cloud.warnings);
}

}  // namespace kann::formats
