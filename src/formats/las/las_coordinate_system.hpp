// The coordinate system that a LAS file names in its variable length records.
#pragma once

#include <optional>
#include <string_view>

#include "formats/table/coordinate_system.hpp"

namespace kann::formats {

/// The coordinate system in WKT, among the records before or after the points. Without one, it is that of GeoTIFF's
/// keys: their projected system, else their geographic one, by its number, and the name that the keys cite. None if the
/// file says nothing.
/// @param head all bytes before the first point, as in LasRecords @param extended LasRecords::extended
std::optional<CoordinateSystem> las_coordinate_system(std::string_view head, std::string_view extended);

/// Whether the records before the points say that x and y are longitude and latitude: a coordinate system in WKT that
/// is geographic, or the model type 2 among GeoTIFF's keys.
bool is_geographic(std::string_view head);

}  // namespace kann::formats
