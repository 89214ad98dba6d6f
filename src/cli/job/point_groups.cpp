#include "cli/job/point_groups.hpp"

#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <unordered_map>
#include <variant>

#include "kann/attributes.hpp"
#include "kann/error.hpp"

namespace kann::cli {
namespace {

constexpr std::int64_t k_no_group = -1;

/// Gives each value that occurs a number.
template <class Key>
class Labels {
 public:
  std::int64_t of(const Key& key) { return labels_.try_emplace(key, std::ssize(labels_)).first->second; }

 private:
  std::unordered_map<Key, std::int64_t> labels_;
};

/// The attribute that was asked for last.
const Attribute& group_attribute(const Cloud& cloud) { return cloud.attributes[cloud.asked.back().front()]; }

std::vector<std::int64_t> labels_of_texts(const Attribute& attribute, Labels<std::string>& labels) {
  // Each text is looked up once
  std::vector<std::int64_t> of_text;
  for (const std::string& text : *attribute.texts) of_text.push_back(text.empty() ? k_no_group : labels.of(text));
  std::vector<std::int64_t> all;
  for (const std::int32_t text : std::get<Array<std::int32_t>>(attribute.values))
    all.push_back(of_text[static_cast<std::size_t>(text)]);
  return all;
}

/// Whole numbers as they are; float64 would round those past 2⁵³.
std::vector<std::int64_t> labels_of_whole(const Attribute& attribute, Labels<std::int64_t>& labels) {
  std::vector<std::int64_t> all;
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) all.push_back(labels.of(static_cast<std::int64_t>(value)));
      },
      attribute.values);
  return all;
}

std::vector<std::int64_t> labels_of_numbers(const Attribute& attribute, Labels<double>& labels) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < attribute.size(); ++i) {
    const double value = attribute.at(i);
    all.push_back(std::isnan(value) ? k_no_group : labels.of(value == 0 ? 0 : value));  // −0 is 0
  }
  return all;
}

}  // namespace

PointGroups groups_of(const Options& options, const Cloud& data, const Cloud& queries) {
  PointGroups groups{.rule = options.group_rule};
  const Attribute& of_data = group_attribute(data);
  const Attribute& of_queries = options.self_query() ? of_data : group_attribute(queries);
  if (!of_data.texts != !of_queries.texts)
    throw Error(ErrorKind::bad_input, fmt::format("{}: '{}' is text in one of the clouds, and numbers in the other",
                                                  *options.query, *options.group));
  const auto make = [&](const auto& labels_of, auto labels) {
    groups.data = labels_of(of_data, labels);
    if (!options.self_query()) groups.queries = labels_of(of_queries, labels);
  };
  if (of_data.texts)
    make(labels_of_texts, Labels<std::string>());
  else if (of_data.is_whole() && of_queries.is_whole())
    make(labels_of_whole, Labels<std::int64_t>());
  else
    make(labels_of_numbers, Labels<double>());
  return groups;
}

}  // namespace kann::cli
