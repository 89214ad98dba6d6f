#include "cli/options/attribute_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string_view>

#include "kann/error.hpp"

#include "base/printable.hpp"
#include "base/suggest.hpp"

namespace kann::cli {

std::vector<AttributeChoice> attribute_choices(const Given& given) {
  std::vector<AttributeChoice> choices;
  for (const std::string& word : names(given)) {
    const bool is_dropped = word.starts_with('-');
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(is_dropped, equals - (is_dropped ? 1 : 0));
    const std::string new_name = equals < word.size() ? word.substr(equals + 1) : name;
    if (name.empty() || new_name.empty() || (is_dropped && equals < word.size()))
      refuse(given, "NAME, NAME=NEW or -NAME, and more of them between commas");
    if (std::ranges::count(choices, new_name, &AttributeChoice::new_name) > 0) refuse(given, "each name once");
    choices.push_back({name, new_name, is_dropped});
  }
  const auto is_plain = [](const AttributeChoice& choice) { return !choice.is_dropped && !choice.renames(); };
  if (std::ranges::any_of(choices, &AttributeChoice::is_dropped) && std::ranges::any_of(choices, is_plain))
    refuse(given, "either columns that are written, or -NAME for those that are not");
  return choices;
}

void refuse_choice(const std::string& owner, const std::string& name, const std::vector<std::string>& columns) {
  const std::vector<std::string_view> known(columns.begin(), columns.end());
  const std::string_view nearest = base::nearest_name(name, known);
  throw Error(ErrorKind::bad_input, fmt::format("{}: --attributes: no column '{}' (there are {}){}", owner,
                                                base::printable(name), fmt::join(columns, ", "),
                                                nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

std::vector<ChosenColumn> chosen_columns(const std::vector<AttributeChoice>& choices,
                                         const std::vector<std::string>& columns, std::size_t fixed,
                                         const std::string& owner) {
  std::vector<ChosenColumn> all, chosen;
  for (std::size_t place = 0; place < columns.size(); ++place) all.push_back({place, columns[place]});
  const bool keeps_others = choices.empty() || std::ranges::any_of(choices, &AttributeChoice::is_dropped);
  std::vector<std::uint8_t> is_left_out(columns.size(), keeps_others ? 0 : 1);
  for (const AttributeChoice& choice : choices) {
    const auto place = static_cast<std::size_t>(std::ranges::find(columns, choice.name) - columns.begin());
    if (place == columns.size()) refuse_choice(owner, choice.name, columns);
    if (place < fixed && (choice.is_dropped || choice.renames()))
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: --attributes: '{}' stays under its name, as a coordinate or a field of LAS records",
                              owner, base::printable(choice.name)));
    all[place].name = choice.new_name;
    is_left_out[place] = choice.is_dropped;
    if (!keeps_others && place >= fixed) chosen.push_back(all[place]);
  }
  if (keeps_others)
    for (std::size_t place = fixed; place < all.size(); ++place)
      if (!is_left_out[place]) chosen.push_back(all[place]);
  std::vector<std::string> taken(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(fixed));
  for (const ChosenColumn& column : chosen) {
    if (std::ranges::count(taken, column.name) > 0 && !choices.empty())
      throw Error(ErrorKind::bad_input, fmt::format("{}: --attributes: two columns would be called '{}'", owner,
                                                    base::printable(column.name)));
    taken.push_back(column.name);
  }
  return chosen;
}

}  // namespace kann::cli
