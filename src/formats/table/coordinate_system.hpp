// The coordinate system that a file names: by a number of EPSG's register, or in well-known text (WKT).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kann::formats {

struct CoordinateSystem {
  std::string name;         ///< empty if only the number is known
  std::optional<int> epsg;  ///< its number in EPSG's register
};

/// The name and the number of a coordinate system in WKT (OGC 01-009, or WKT 2 of OGC 18-010): those of the whole, not
/// those of its datum or its units. None if the text is no WKT.
/// Example: `PROJCS["A / B",GEOGCS["C",AUTHORITY["EPSG","1"]],AUTHORITY["EPSG","2"]]` has the name "A / B" and the
/// number 2.
std::optional<CoordinateSystem> system_of_wkt(std::string_view text);

/// The coordinate system that a comment of a header names, as WKT or as EPSG:number, also after words such as `crs`.
std::optional<CoordinateSystem> system_of_comment(std::string_view comment);

}  // namespace kann::formats
