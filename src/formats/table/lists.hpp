// Lists of names and numbers, for messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kann::formats {

/// How many of `count` things are listed: 12, or 13 rather than "12 and 1 more".
constexpr std::size_t listed_of(std::size_t count) { return count <= 13 ? count : 12; }

/// "id, Easting, Northing"; of `count` things, of which `items` has the first listed_of(), "a, b, c and 7 more".
std::string comma_list(std::span<const std::string> items, std::size_t count);

/// A comma_list() of names, as excerpts.
std::string list_of(std::span<const std::string_view> names);

/// The numbers, from 1, of columns from 0: "4 and 7", "4, 5 and 7", "1, 2, 3 and 18 more".
std::string numbers_of(std::span<const std::size_t> columns);

}  // namespace kann::formats
