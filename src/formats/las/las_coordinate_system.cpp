#include "formats/las/las_coordinate_system.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/files/number_at.hpp"
#include "formats/las/las_vlrs.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_projection = "LASF_Projection";
constexpr std::uint16_t k_crs_wkt = 2112, k_geo_keys = 34735, k_geo_texts = 34737;

/// The content of the record of this number; empty if there is none. WKT ends with a zero.
std::string_view record_content(std::string_view head, std::string_view extended, std::uint16_t id) {
  for (const LasVlr& vlr : las_vlrs(head))
    if (vlr.user == k_projection && vlr.id == id)
      return head.substr(vlr.begin + k_vlr_header_bytes, vlr.end - vlr.begin - k_vlr_header_bytes);
  while (extended.size() >= k_extended_vlr_header_bytes) {
    const std::string_view header = extended.substr(0, k_extended_vlr_header_bytes);
    const std::string_view user = header.substr(2, 16);
    extended.remove_prefix(header.size());
    const std::size_t bytes = std::min<std::uint64_t>(las_extended_vlr(header).bytes, extended.size());
    if (user.substr(0, user.find('\0')) == k_projection && number_at<std::uint16_t>(header, 18) == id)
      return extended.substr(0, bytes);
    extended.remove_prefix(bytes);
  }
  return {};
}

/// GeoTIFF's keys (OGC 19-008): four numbers of 16 bits each, the first four of which say how many there are.
class GeoKeys {
 public:
  GeoKeys(std::string_view keys, std::string_view texts) : keys_(keys), texts_(texts) {}

  std::optional<int> number(std::uint16_t key) const {
    constexpr std::uint16_t user_defined = 32767;
    const std::size_t at = find(key);
    if (at == keys_.npos || number_at<std::uint16_t>(keys_, at + 2) != 0) return std::nullopt;
    const int value = number_at<std::uint16_t>(keys_, at + 6);
    return value == 0 || value == user_defined ? std::nullopt : std::optional(value);
  }

  /// A text, which ends with a bar; empty if there is none.
  std::string_view text(std::uint16_t key) const {
    const std::size_t at = find(key);
    if (at == keys_.npos || number_at<std::uint16_t>(keys_, at + 2) != k_geo_texts) return {};
    const std::size_t begin = std::min<std::size_t>(number_at<std::uint16_t>(keys_, at + 6), texts_.size());
    std::string_view text = texts_.substr(begin, number_at<std::uint16_t>(keys_, at + 4));
    text = text.substr(0, text.find('\0'));
    return text.substr(0, text.find_last_not_of('|') + 1);
  }

 private:
  std::size_t find(std::uint16_t key) const {
    constexpr std::size_t entry = 8;
    for (std::size_t at = entry; at + entry <= keys_.size(); at += entry)
      if (number_at<std::uint16_t>(keys_, at) == key) return at;
    return keys_.npos;
  }

  const std::string_view keys_, texts_;
};

GeoKeys geo_keys(std::string_view head, std::string_view extended) {
  return {record_content(head, extended, k_geo_keys), record_content(head, extended, k_geo_texts)};
}

}  // namespace

bool is_geographic(std::string_view head) {
  constexpr std::uint16_t model_type = 1024;
  constexpr int geographic = 2;
  const std::string_view wkt = record_content(head, {}, k_crs_wkt);
  for (const std::string_view begin : {"GEOGCS", "GEOGCRS", "GEODCRS"})
    if (wkt.starts_with(begin)) return true;
  return geo_keys(head, {}).number(model_type) == geographic;
}

std::optional<CoordinateSystem> las_coordinate_system(std::string_view head, std::string_view extended) {
  if (auto system = system_of_wkt(record_content(head, extended, k_crs_wkt))) return system;
  constexpr std::uint16_t citation = 1026, geographic = 2048, geographic_citation = 2049, projected = 3072,
                          projected_citation = 3073;
  const GeoKeys keys = geo_keys(head, extended);
  CoordinateSystem system;
  for (const std::uint16_t key : {projected_citation, citation, geographic_citation})
    if (system.name.empty()) system.name = keys.text(key);
  constexpr std::uint16_t linear_unit = 3076;
  constexpr std::pair<int, double> units[] = {{9001, 1}, {9002, k_foot}, {9003, k_us_foot}};
  for (const auto& [number, metres] : units)
    if (keys.number(linear_unit) == number) system.metres = metres;
  system.epsg = keys.number(projected);
  if (!system.epsg) system.epsg = keys.number(geographic);
  return system.name.empty() && !system.epsg ? std::nullopt : std::optional(system);
}

}  // namespace kann::formats
