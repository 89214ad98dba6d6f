#include "formats/table/lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "formats/files/refusal.hpp"

namespace kann::formats {

std::string comma_list(std::span<const std::string> items, std::size_t count) {
  const std::string list = fmt::format("{}", fmt::join(items, ", "));
  return count > items.size() ? fmt::format("{} and {} more", list, count - items.size()) : list;
}

std::string list_of(std::span<const std::string_view> names) {
  std::vector<std::string> items;
  for (const std::string_view name : names.first(listed_of(names.size())))
    items.push_back(name.empty() ? "''" : excerpt(name));
  return comma_list(items, names.size());
}

std::string numbers_of(std::span<const std::size_t> columns) {
  std::vector<std::string> items;
  for (const std::size_t column : columns.first(listed_of(columns.size()))) items.push_back(std::to_string(column + 1));
  if (items.size() < columns.size() || items.size() < 2) return comma_list(items, columns.size());
  return comma_list(std::span(items).first(items.size() - 1), items.size() - 1) + " and " + items.back();
}

}  // namespace kann::formats
