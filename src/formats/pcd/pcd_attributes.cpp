#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "formats/pcd/pcd_body.hpp"
#include "formats/table/attributes.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_colours[] = {"blue", "green", "red"};  // from the lowest byte on

/// The first field that packs colours; none where there are fields red, green or blue.
std::optional<std::size_t> find_packed_colours(const PcdHeader& header) {
  const std::vector<PcdField>& fields = header.fields;
  if (std::ranges::any_of(fields, [](const PcdField& field) { return std::ranges::count(k_colours, field.name) > 0; }))
    return std::nullopt;
  const auto found = std::ranges::find_if(fields, [](const PcdField& field) {
    return (field.name == "rgb" || field.name == "rgba") && field.size == 4 && field.count == 1;
  });
  return found == fields.end() ? std::nullopt : std::optional<std::size_t>(found - fields.begin());
}

}  // namespace

PcdAttributes choose_pcd_attributes(const PcdHeader& header, const ReadRequest& options, const std::string& file,
                                    std::vector<std::string>& warnings) {
  if (!wants_attributes(options)) return {};
  // The fields come as they stand in the file, so that their numbers are those of --columns; the colours follow.
  std::vector<PcdAttribute> known;
  std::vector<AttributeColumn> table;
  const std::optional<std::size_t> packed = find_packed_colours(header);
  for (std::size_t f = 0; f < header.fields.size(); ++f) {
    const PcdField& field = header.fields[f];
    known.push_back({field.name, f, field.type});
    table.push_back({.name = field.name,
                     .fault = field.count == 1 ? "" : fmt::format("has {} values per point", field.count),
                     .is_apart = field.name == "_" || f == packed});
  }
  ReadRequest expanded = options;
  std::optional<std::size_t> three;  // the name that stands for red, green and blue
  if (packed) {
    for (const std::size_t byte : {2, 1, 0}) {
      known.push_back({std::string(k_colours[byte]), *packed, ScalarType::uint8, byte});
      table.push_back({std::string(k_colours[byte])});
    }
    auto& names = expanded.attributes;
    if (const auto own = std::ranges::find(names, header.fields[*packed].name); own != names.end()) {
      three = own - names.begin();
      names.insert(names.erase(own), {"red", "green", "blue"});
    }
  }

  PcdAttributes chosen;
  chosen.chosen = chosen_attributes("field", table, header.axes, expanded, file, warnings);
  for (const std::size_t i : chosen.chosen.columns) chosen.all.push_back(known[i]);
  if (three) {
    auto& asked = chosen.chosen.asked;
    const auto first = asked.begin() + static_cast<std::ptrdiff_t>(*three);
    *first = {first[0][0], first[1][0], first[2][0]};
    asked.erase(first + 1, first + 3);
  }
  return chosen;
}

}  // namespace kann::formats
