// The coordinate system that a file names: by a number of EPSG's register, or in well-known text (WKT).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::formats {

/// The international foot and that of US surveys, in metres.
inline constexpr double k_foot = 0.3048, k_us_foot = 1200.0 / 3937;

/// The unit of the coordinates, for people: m, ft, US ft, or its length in metres; empty if it is not known.
std::string unit_of(const std::optional<CoordinateSystem>& system);

/// Name and number, for people: "WGS 84 / UTM zone 33N (EPSG:32633)"; empty if there is no system.
std::string system_text(const std::optional<CoordinateSystem>& system);

/// The name, the number and the unit of a coordinate system in WKT (OGC 01-009, or WKT 2 of OGC 18-010): those of the
/// whole, not those of its datum, its heights or its parameters. None if the text is no WKT.
/// Example: `PROJCS["A / B",GEOGCS["C",AUTHORITY["EPSG","1"]],AUTHORITY["EPSG","2"]]` has the name "A / B" and the
/// number 2.
std::optional<CoordinateSystem> system_of_wkt(std::string_view text);

/// The coordinate system that a comment of a header names, as WKT or as EPSG:number, also after words such as `crs`.
std::optional<CoordinateSystem> system_of_comment(std::string_view comment);

}  // namespace kann::formats
