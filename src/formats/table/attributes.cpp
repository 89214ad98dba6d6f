#include "formats/table/attributes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/counted.hpp"
#include "base/letter_case.hpp"
#include "base/suggest.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/meanings.hpp"

namespace kann::formats {
namespace {

class Chooser {
 public:
  Chooser(std::string_view noun, std::span<const AttributeColumn> table, const ReadRequest& options,
          const std::string& file)
      : noun_(noun), table_(table), other_names_(options.other_names), file_(file) {
    for (const AttributeColumn& column : table) names_.push_back(column.name);
    if (names_.size() <= k_compared_names) meanings_ = meanings_of(names_);
    meanings_.resize(names_.size());
  }

  const std::vector<Meaning>& meanings() const { return meanings_; }

  /// @param prefers_name whether a column of that name precedes the column of that number
  std::size_t column_of(const std::string& asked, bool prefers_name) const {
    const bool is_name = prefers_name && std::ranges::count(names_, asked) > 0;
    const auto choice = is_name ? std::optional(ColumnChoice{0, asked}) : parse_column_choice(asked);
    if (choice && choice->number > 0 && choice->number <= table_.size()) return choice->number - 1;
    if (!choice || choice->number > 0)
      refuse(file_, fmt::format("no {} {}; it has {}: {}", noun_, excerpt(asked), table_.size(), list_of(names_)));
    const auto exact = columns_of([&](std::string_view name) { return name == asked; });
    if (exact.size() == 1) return exact[0];
    if (exact.size() > 1)
      refuse(file_, fmt::format("{} are called {} (numbers {}); give a number", base::counted(exact.size(), noun_),
                                quote(asked), numbers_of(exact)));
    const auto in_any_case = columns_of([&](std::string_view name) { return base::equal_in_any_case(name, asked); });
    if (in_any_case.size() == 1) return in_any_case[0];
    if (const auto same = in_other_words(asked); in_any_case.empty() && same) return *same;
    const std::span<const std::string_view> first = std::span(names_).first(std::min(names_.size(), k_compared_names));
    std::vector<std::string_view> known(first.begin(), first.end());
    known.insert(known.end(), other_names_.begin(), other_names_.end());
    const std::string_view nearest =
        !in_any_case.empty() ? names_[in_any_case.back()] : base::nearest_name(asked, known);
    refuse(file_, fmt::format("no {} {} (it has {}){}", noun_, quote(asked), list_of(names_),
                              nearest.empty() ? "" : fmt::format("; did you mean {}?", quote(nearest))));
  }

 private:
  std::vector<std::size_t> columns_of(auto&& is_it) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (is_it(names_[i])) found.push_back(i);
    return found;
  }

  /// The column with the meaning of a name, else the only one with the same plain name; none if there is none.
  std::optional<std::size_t> in_other_words(const std::string& asked) const {
    if (const Meaning meaning = meaning_of(asked); meaning != Meaning::none)
      if (const auto same = std::ranges::find(meanings_, meaning); same != meanings_.end())
        return same - meanings_.begin();
    if (names_.size() > k_compared_names) return std::nullopt;
    const auto same = columns_of([&](std::string_view name) { return plain_name(name) == plain_name(asked); });
    return same.size() == 1 ? std::optional(same[0]) : std::nullopt;
  }

  const std::string_view noun_;
  const std::span<const AttributeColumn> table_;
  const std::span<const std::string> other_names_;
  const std::string& file_;
  std::vector<std::string_view> names_;
  std::vector<Meaning> meanings_;
};

/// The columns, from 0, that are asked for by name or number, in that order.
std::vector<std::size_t> named_columns(const Chooser& chooser, std::string_view noun,
                                       std::span<const AttributeColumn> table, const ReadRequest& options,
                                       const std::string& file) {
  std::vector<std::size_t> named;
  for (const std::string& asked : options.attributes) {
    const std::size_t column = chooser.column_of(asked, std::ranges::count(options.compared, asked) > 0);
    if (!table[column].fault.empty())
      refuse(file,
             fmt::format("{} {} {}; it cannot be an attribute", noun, quote(table[column].name), table[column].fault));
    named.push_back(column);
  }
  return named;
}

/// All columns that are not among `axes` and can be attributes.
std::vector<std::size_t> all_columns(std::span<const AttributeColumn> table, std::span<const std::size_t> axes,
                                     const std::string& file, std::vector<std::string>& warnings) {
  std::vector<std::size_t> all;
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].is_apart || std::ranges::count(axes, i) > 0) continue;
    if (table[i].fault.empty())
      all.push_back(i);
    else
      left_out.push_back(quote(table[i].name) + " " + table[i].fault);
  }
  warn_of_left_out(left_out, file, warnings);
  return all;
}

}  // namespace

ChosenAttributes chosen_attributes(std::string_view noun, std::span<const AttributeColumn> table,
                                   std::span<const std::size_t> axes, const ReadRequest& options,
                                   const std::string& file, std::vector<std::string>& warnings) {
  const Chooser chooser(noun, table, options, file);
  const std::vector<std::size_t> named = named_columns(chooser, noun, table, options, file);
  ChosenAttributes chosen;
  const std::span<const std::size_t> left_out = options.coordinates_too ? std::span<const std::size_t>() : axes;
  if (options.all_attributes) chosen.columns = all_columns(table, left_out, file, warnings);
  for (const std::size_t column : named) {
    const auto place = std::ranges::find(chosen.columns, column);
    chosen.asked.push_back({static_cast<std::size_t>(place - chosen.columns.begin())});
    if (place != chosen.columns.end()) continue;
    chosen.columns.push_back(column);
    if (options.all_attributes) ++chosen.besides;
  }
  for (const std::size_t column : chosen.columns) {
    const bool is_coordinate = std::ranges::count(axes, column) > 0 || axis_of(table[column].name) >= 0;
    const Meaning meaning = chooser.meanings()[column];
    chosen.meanings.push_back(is_coordinate                                       ? Meaning::coordinate
                              : meaning == Meaning::none && table[column].is_bool ? Meaning::boolean
                                                                                  : meaning);
  }
  return chosen;
}

void ChosenAttributes::describe(Cloud& cloud) const {
  cloud.asked = asked;
  cloud.asked_besides = besides;
  for (std::size_t place = 0; place < meanings.size(); ++place) {
    Attribute& attribute = cloud.attributes[place];
    const bool is_word = attribute.texts && attribute.texts->row_bytes == 0 && meanings[place] != Meaning::coordinate;
    attribute.meaning = is_word ? Meaning::none : meanings[place];
    // Units of LAS are whole numbers, and are not what other formats have
    if (attribute.meaning == Meaning::scan_angle && !attribute.is_whole()) attribute.meaning = Meaning::scan_angle_rank;
  }
}

void warn_of_left_out(std::span<const std::string> left_out, const std::string& file,
                      std::vector<std::string>& warnings) {
  if (left_out.empty()) return;
  warnings.push_back(fmt::format("{}: left out of the attributes: {}", file,
                                 comma_list(left_out.first(listed_of(left_out.size())), left_out.size())));
}

}  // namespace kann::formats
