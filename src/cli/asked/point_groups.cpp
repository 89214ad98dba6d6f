#include "cli/asked/point_groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "kann/attributes.hpp"
#include "kann/error.hpp"

#include "base/letter_case.hpp"
#include "formats/table/number.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::cli {
namespace {

constexpr std::int64_t k_no_group = -1;

/// Gives each number and each text that occurs a label.
class Labels {
 public:
  std::int64_t of(const std::string& text) { return label(texts_, text); }
  std::int64_t of(std::int64_t number) { return label(whole_, number); }
  std::int64_t of(std::uint64_t number) {
    const bool is_signed = number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return is_signed ? of(static_cast<std::int64_t>(number)) : label(large_, number);
  }

  /// A float that is a whole number has the label of that.
  std::int64_t of(double number) {
    if (std::isnan(number)) return k_no_group;
    if (std::floor(number) == number && number >= -0x1p63 && number < 0x1p63)
      return of(static_cast<std::int64_t>(number));
    if (std::floor(number) == number && number >= 0 && number < 0x1p64) return of(static_cast<std::uint64_t>(number));
    return label(others_, number);
  }

 private:
  template <class Key>
  std::int64_t label(std::unordered_map<Key, std::int64_t>& labels, const Key& key) {
    const auto [place, is_new] = labels.try_emplace(key, next_);
    next_ += is_new;
    return place->second;
  }

  std::int64_t next_ = 0;
  std::unordered_map<std::string, std::int64_t> texts_;
  std::unordered_map<std::int64_t, std::int64_t> whole_;
  std::unordered_map<std::uint64_t, std::int64_t> large_;  // past int64
  std::unordered_map<double, std::int64_t> others_;
};

bool is_missing(const std::string& text) {
  return formats::is_missing_value(text) || base::equal_in_any_case(text, "nan");
}

/// The attribute that was asked for last, or so many before that, but for the columns of the condition.
const Attribute& group_attribute(const Cloud& cloud, const Condition& where, std::size_t before_last) {
  return cloud.attributes[cloud.asked[cloud.asked.size() - where.all.size() - 1 - before_last].front()];
}

/// @param as_words whether whole numbers are texts: those of the other cloud are words
std::vector<std::int64_t> labels_of(const Attribute& attribute, bool as_words, Labels& labels) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(attribute.size()));
  if (attribute.texts) {
    std::unordered_map<std::int64_t, std::int64_t> of_text;  // each is looked up once
    for (const std::int64_t value : std::get<Array<std::int64_t>>(attribute.values)) {
      const auto [known, is_new] = of_text.try_emplace(value, k_no_group);
      const std::string text(is_new ? attribute.texts->at(value) : "");
      if (!is_missing(text)) known->second = labels.of(text);
      all.push_back(known->second);
    }
    return all;
  }
  std::visit(
      [&]<class T>(const Array<T>& values) {
        using Number = std::conditional_t<std::is_floating_point_v<T>, double,
                                          std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
        for (const T value : values)
          all.push_back(attribute.is_missing(value) ? k_no_group
                        : as_words                  ? labels.of(fmt::to_string(value))
                                                    : labels.of(static_cast<Number>(value)));
      },
      attribute.values);
  return all;
}

/// Whether it is text, and not only names that look like numbers: 007 and 7 may be meant to be one.
bool has_words(const Attribute& attribute) {
  const auto* const values = attribute.texts ? std::get_if<Array<std::int64_t>>(&attribute.values) : nullptr;
  return values && std::ranges::any_of(*values, [&](std::int64_t value) {
           const std::string text(attribute.texts->at(value));
           double number = 0;
           return !is_missing(text) && formats::parse_number(text, number) == formats::NumberFault::not_a_number;
         });
}

/// Whether no point has a value.
bool is_empty(const Attribute& attribute) {
  return std::visit(
      [](const auto& values) { return std::ranges::all_of(values, [](auto value) { return value != value; }); },
      attribute.values);
}

void warn(const std::string& name, const std::string& file, const std::vector<std::int64_t>& labels,
          std::vector<std::string>& warnings) {
  const auto missing = std::ranges::count(labels, k_no_group);
  if (missing > 0)
    warnings.push_back(
        fmt::format("{}: {} of {} points have no '{}' (empty, NA, null or NaN): they have no neighbours, and are none",
                    file == "-" ? "stdin" : file, missing, labels.size(), name));
}

/// @param before_last as for group_attribute()
PointGroups groups_by(const std::string& name, std::size_t before_last, const Options& options, const Cloud& data,
                      const Cloud& queries) {
  PointGroups groups;
  const Attribute& of_data = group_attribute(data, options.where, before_last);
  const Attribute& of_queries =
      options.self_query() ? of_data : group_attribute(queries, options.query_where, before_last);
  const Attribute &text = of_data.texts ? of_data : of_queries, &other = of_data.texts ? of_queries : of_data;
  const bool are_alike = !text.texts == !other.texts || is_empty(other);
  const bool as_words = !are_alike && other.is_whole() && has_words(text);
  if (!are_alike && !as_words)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: '{}' is text in one of the clouds, and numbers in the other", *options.query, name));
  Labels labels;
  groups.data = labels_of(of_data, as_words, labels);
  if (!options.self_query()) groups.queries = labels_of(of_queries, as_words, labels);
  warn(name, options.data, groups.data, groups.warnings);
  if (!options.self_query()) warn(name, *options.query, groups.queries, groups.warnings);
  return groups;
}

/// Makes groups of those that have both labels in common, and sets of these, of points with the same `own` label.
PointGroups in_sets(PointGroups own, PointGroups other) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> places;
  const auto for_each = [&](auto f) {
    for (const auto& [to, from] : {std::pair(&own.data, &other.data), {&own.queries, &other.queries}})
      for (std::size_t i = 0; i < to->size(); ++i)
        if (const std::pair both((*to)[i], (*from)[i]); std::min(both.first, both.second) < 0)
          (*to)[i] = k_no_group;
        else
          f((*to)[i], both);
  };
  for_each([&](std::int64_t, const auto& both) { places[both]; });
  for (auto& [both, place] : places) {
    place = std::ssize(own.sets);
    own.sets.push_back(both.first);
  }
  for_each([&](std::int64_t& label, const auto& both) { label = places.at(both); });
  std::ranges::copy(other.warnings, std::back_inserter(own.warnings));
  return own;
}

}  // namespace

PointGroups groups_of(const Options& options, const Cloud& data, const Cloud& queries) {
  PointGroups groups, others;
  if (options.group) groups = groups_by(*options.group, options.other_group ? 1 : 0, options, data, queries);
  if (options.other_group) others = groups_by(*options.other_group, 0, options, data, queries);
  if (options.group && options.other_group)
    groups = in_sets(std::move(groups), std::move(others));
  else if (options.other_group)
    groups = std::move(others);
  groups.rule = options.other_group ? GroupRule::other : GroupRule::same;
  return groups;
}

}  // namespace kann::cli
