#include "formats/text/text_attributes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/attributes.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_most_columns = 4096;  // a line of a megabyte may have half a million, an array each

/// Two quotes within quotes are one.
std::string unescaped(std::string_view field) {
  std::string name(field);
  for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at) name.erase(at, 1);
  return name;
}

/// Whether the cell looks like a number and is a name: 007, +49, 1E1, or a whole number that float64 may not hold.
bool is_name(std::string_view cell) {
  constexpr std::size_t digits_of_float64 = 15;
  constexpr std::string_view digits = "0123456789";
  const bool has_plus = cell.starts_with('+');
  if (has_plus || cell.starts_with('-')) cell.remove_prefix(1);
  const std::size_t whole = std::min(cell.find_first_not_of(digits), cell.size());
  if (whole == 0) return false;
  if (whole == cell.size()) return has_plus || (whole > 1 && (cell[0] == '0' || whole > digits_of_float64));
  const std::string_view exponent = cell.substr(whole + 1);
  return (cell[whole] == 'e' || cell[whole] == 'E') && !exponent.empty() &&
         exponent.find_first_not_of(digits) == std::string_view::npos;
}

/// Lets what is asked for by name follow all columns, which are as they are spelled.
void spell(ChosenAttributes& chosen) {
  const auto spelled = static_cast<std::ptrdiff_t>(chosen.columns.size() - chosen.besides);
  for (auto& places : chosen.asked)
    for (std::size_t& place : places) {
      const std::size_t column = chosen.columns[place];
      const Meaning meaning = chosen.meanings[place];
      const auto besides = std::find(chosen.columns.begin() + spelled, chosen.columns.end(), column);
      place = static_cast<std::size_t>(besides - chosen.columns.begin());
      if (besides != chosen.columns.end()) continue;
      chosen.columns.push_back(column);
      chosen.meanings.push_back(meaning);
      ++chosen.besides;
    }
}

}  // namespace

std::optional<std::int64_t> TextNumbers::find(std::string_view text) const {
  if (text.empty()) return 0;
  const auto found = values_.find(text);
  return found == values_.end() ? std::nullopt : std::optional(*found);
}

std::int64_t TextNumbers::add(std::string_view text) {
  if (const auto known = find(text)) return *known;
  ++texts_.count;
  const std::int64_t value = texts_.add(text, needs_quotes(text) ? Texts::k_needs_quotes : 0);
  values_.insert(value);
  return value;
}

TextAttributes::TextAttributes(const TextLayout& layout, const ReadRequest& options,
                               std::span<const std::size_t> text_columns, const std::string& file,
                               std::vector<std::string>& warnings)
    : file_(&file),
      takes_texts_(options.texts),
      takes_names_(options.texts && options.keeps_names),
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
  if (layout.table.names.empty())
    for (std::size_t axis = 0; axis < layout.axes.size(); ++axis)
      table[layout.axes[axis]].name = std::string(1, "xyz"[axis]);
  chosen_ = chosen_attributes(layout.table.noun, table, layout.axes, options, file, warnings);
  const bool are_spelled = options.spelled && options.all_attributes;
  if (are_spelled) spell(chosen_);
  // Without names, the third column is z, also where --columns takes the first two alone
  if (layout.table.names.empty() && std::ranges::equal(layout.axes, std::array<std::size_t, 2>{0, 1}))
    if (const auto z = std::ranges::find(chosen_.columns, std::size_t{2}); z != chosen_.columns.end())
      chosen_.meanings[static_cast<std::size_t>(z - chosen_.columns.begin())] = Meaning::coordinate;
  for (const std::size_t column : chosen_.columns) {
    columns_.push_back({table[column].name, column});
    if (std::ranges::count(text_columns, column) == 0) continue;
    columns_.back().texts = std::make_shared<TextNumbers>();
    columns_.back().numbers.values = Array<std::int64_t>();
  }
  for (const auto& places : chosen_.asked)
    for (const std::size_t place : places) columns_[place].is_asked_for = true;
  for (std::size_t name = 0; name < options.attributes.size(); ++name)
    if (options.texts && std::ranges::count(options.compared, options.attributes[name]) > 0)
      columns_[chosen_.asked[name].front()].takes_names = true;
  if (!are_spelled) return;
  spelled_ = std::make_shared<Texts>();
  for (Column& column : std::span(columns_).first(columns_.size() - chosen_.besides)) {
    column.is_spelled = true;
    column.texts = nullptr;
    column.numbers.values = Array<std::int64_t>();
  }
}

void TextAttributes::leave_out(Column& column, const std::string& fault) {
  column.fault = fault;
  column.numbers = {};
}

void TextAttributes::keep_part(std::string_view part, std::size_t most) {
  if (!spelled_) return begin_part(part, 0);
  const std::size_t begin = spelled_->bytes.size();
  if (begin + part.size() > spelled_->bytes.capacity()) {
    const std::size_t capacity = std::max({begin + part.size(), 2 * begin, most});
    base::check_host_memory(static_cast<double>(capacity), file_->c_str());
    spelled_->bytes.reserve(capacity);
  }
  spelled_->bytes.insert(spelled_->bytes.end(), part.begin(), part.end());
  begin_part(part, begin);
}

void TextAttributes::reserve(std::size_t rows) {
  double bytes = 0;
  for (const Column& column : columns_)
    std::visit([&](const auto& values) { bytes += static_cast<double>(rows * sizeof values[0]); },
               column.numbers.values);
  base::check_host_memory(bytes, file_->c_str());
  for (Column& column : columns_)
    if (column.fault.empty()) std::visit([&](auto& values) { values.reserve(rows); }, column.numbers.values);
}

void TextAttributes::add(std::span<const TextCell> cells, bool are_quoted, std::int64_t line) {
  for (Column& column : columns_)
    if (column.column < cells.size() && column.fault.empty()) add(column, cells[column.column], are_quoted, line);
}

void TextAttributes::add(Column& to, const TextCell& cell, bool are_quoted, std::int64_t line) {
  const auto append_value = [&](std::int64_t value) {
    append(std::get<Array<std::int64_t>>(to.numbers.values), value, *file_);
  };
  if (to.is_spelled) return append_value(spelled_value_of(cell));
  const std::string_view text = cell.text;
  const bool is_label =
      (takes_names_ || to.takes_names) && (is_name(text) || (cell.in_quotes && !are_quoted && !text.empty()));
  const std::string fault =
      to.texts || is_label ? "is text" : to.numbers.add(has_decimal_commas_ ? with_decimal_point(text) : text, *file_);
  const std::size_t number = to.column + 1;
  if (fault.empty()) {
    to.has_numbers |= !text.empty();
  } else if (to.texts || (takes_texts_ && become_text(to, line))) {
    append_value(value_of(to, cell));
  } else if (takes_texts_) {
    leave_out(to, "is read again");
  } else if (to.is_asked_for) {
    refuse_line(*file_, line,
                fmt::format("column {} {}: {}{}", number, fault, quote(text),
                            is_known_ ? "" : "; as text, it goes into .csv, .tsv and --output-format cloud-csv alone"));
  } else {
    leave_out(to, fmt::format("{} in line {}: {}", fault, line, quote(text)));
  }
}

/// Makes a column text whose cells were all empty so far. Returns false if they were not: it is one of late_texts().
bool TextAttributes::become_text(Column& to, std::int64_t line) {
  if (to.has_numbers) {
    late_texts_.push_back({to.column, line});
    return false;
  }
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, to.numbers.values);
  to.numbers.values = Array<std::int64_t>(rows, 0);
  to.texts = std::make_shared<TextNumbers>();
  return true;
}

std::int64_t TextAttributes::value_of(const Column& column, const TextCell& cell) {
  std::string without_doubled;
  std::string_view text = cell.in_quotes.value_or(cell.text);
  if (cell.in_quotes && text.find('"') != std::string_view::npos) text = without_doubled = unescaped(text);
  if (const auto known = column.texts->find(text)) return *known;
  if (is_known_) refuse(*file_, "changed while it was read");
  constexpr double checked_bytes = 1 << 26, bytes_of_text = 64;  // with what finds it again
  text_bytes_ += bytes_of_text + static_cast<double>(text.size());
  if (text_bytes_ > checked_bytes) base::check_host_memory(std::exchange(text_bytes_, 0), file_->c_str());
  return column.texts->add(text);
}

/// Where a cell lies in the texts of the cloud.
std::int64_t TextAttributes::spelled_value_of(const TextCell& cell) const {
  const std::string_view text = cell.in_quotes.value_or(cell.text);
  const std::int64_t flags = cell.in_quotes ? Texts::k_in_quotes : needs_quotes(text) ? Texts::k_needs_quotes : 0;
  const std::size_t begin = text.empty() ? 0 : part_begin_ + static_cast<std::size_t>(text.data() - part_);
  return Texts::value_of(begin, text.size(), flags);
}

void TextAttributes::drop_values() {
  for (Column& column : columns_) std::visit([](auto& values) { values.clear(); }, column.numbers.values);
}

TextAttributes TextAttributes::known(const std::string& file) const {
  TextAttributes same;
  same.file_ = &file;
  same.is_known_ = true;
  same.has_decimal_commas_ = has_decimal_commas_;
  same.spelled_ = spelled_;
  for (const Column& column : columns_) {
    if (!column.fault.empty()) continue;
    same.columns_.push_back(
        {column.name, column.column, column.is_spelled, {}, "", true, column.takes_names, true, column.texts});
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
            if (column.is_spelled) cloud.attributes.back().texts = spelled_;
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
