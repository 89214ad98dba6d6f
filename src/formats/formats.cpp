#include "formats/formats.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "formats/las/las_header.hpp"
#include "formats/las/laz.hpp"

namespace kann::formats {
namespace {

using namespace std::string_view_literals;

// Debian 12 has no PDAL, and its CloudCompare links nothing that reads LAS or E57; neither system lets pip install
// outside a virtual environment. So these are commands for a shell, tried on Debian 12, of packages that both systems
// have. They keep all attributes.
constexpr std::string_view k_laz_hint =
    "convert it: python3 -m venv v && v/bin/pip install 'laspy[lazrs]' && "
    "v/bin/python -c \"import laspy; laspy.read('{file}').write('{stem}.las')\"";
constexpr std::string_view k_e57_hint =
    "convert it: python3 -m venv v && v/bin/pip install pye57 && v/bin/python -c \"import pye57, numpy; "
    "s = pye57.E57('{file}').read_scan(0, ignore_missing_fields=True, intensity=True, colors=True); "
    "numpy.save('{stem}.npy', numpy.rec.fromarrays(list(s.values()), names=[n.replace('cartesian', '') for n in s]))\"";
constexpr std::string_view k_parquet_hint =
    "convert it: python3 -m venv v && v/bin/pip install pyarrow && v/bin/python -c \"import pyarrow.parquet as p, "
    "pyarrow.csv as c; c.write_csv(p.read_table('{file}'), '{stem}.csv')\"";
constexpr std::string_view k_arrow_hint =
    "convert it: python3 -m venv v && v/bin/pip install pyarrow && v/bin/python -c \"import pyarrow.feather as f, "
    "pyarrow.csv as c; c.write_csv(f.read_table('{file}'), '{stem}.csv')\"";
constexpr std::string_view k_fits_hint =
    "convert it: python3 -m venv v && v/bin/pip install astropy && v/bin/python -c \"from astropy.table import Table; "
    "Table.read('{file}').write('{stem}.csv')\"";
constexpr std::string_view k_obj_hint =  // trimesh rounds to float32
    "convert it: awk '$1 == \"v\" {$1 = \"\"; if (!n++) print (NF > 4 ? \"x y z r g b\" : \"x y z\"); print}' '{file}' "
    "> '{stem}.txt'";
constexpr std::string_view k_mesh_hint =
    "convert it: python3 -m venv v && v/bin/pip install trimesh && v/bin/python -c \"import trimesh; "
    "trimesh.load('{file}', process=False).export('{stem}.ply')\"";
constexpr std::string_view k_raster_hint =
    "convert it: apt install gdal-bin && gdal_translate -of XYZ '{file}' '{stem}.xyz'";
constexpr std::string_view k_features_hint =
    "convert it: apt install gdal-bin && ogr2ogr -f CSV '{stem}.csv' '{file}' -lco GEOMETRY=AS_XYZ";
constexpr std::string_view k_hdf5_hint =
    "convert it: python3 -m venv v && v/bin/pip install h5py && v/bin/python -c \"import h5py, numpy; "
    "numpy.save('{stem}.npy', h5py.File('{file}')['NAME'][:])\"";
constexpr std::string_view k_raw_hint =
    "KITTI's frames are read with {option} kitti; convert others with numpy, for four values per point: "
    "numpy.save(\"{stem}.npy\", numpy.fromfile(\"{file}\", \"f4\").reshape(-1, 4)[:, :3])";

/// Whether a LAS file is compressed.
bool is_laz(std::string_view head) {
  return head.starts_with("LASF") && head.size() > las_header::point_format &&
         (static_cast<unsigned char>(head[las_header::point_format]) & k_compression_bits) == k_compressed;
}

/// Whether the first line is that of an OFF file: OFF, or COFF and the like. The counts in its second line would be
/// read as a point.
bool is_off(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  return line.size() < head.size() && line.ends_with("OFF") &&
         line.substr(0, line.size() - 3).find_first_not_of("STCN4") == std::string_view::npos;
}

bool is_geojson(std::string_view head) {
  return head.starts_with('{') && head.find("\"FeatureCollection\"") != std::string_view::npos;
}

// A format that is recognised by more than its first bytes comes before the format that these bytes stand for.
constexpr auto k_formats = std::to_array<Format>({
    {"PLY", {"ply"}, {"ply\n"sv, "ply\r"sv}, PointFormat::ply},
    {"text", {"xyz", "txt", "csv"}, {}, PointFormat::text},
    {"NPY", {"npy"}, {"\x93NUMPY"sv}, PointFormat::npy},
    {"LAZ", {"laz"}, {}, PointFormat::laz, k_laz_hint, is_laz, has_laszip},
    {"LAS", {"las"}, {"LASF"sv}, PointFormat::las},
    {"E57", {"e57"}, {"ASTM-E57"sv}, {}, k_e57_hint},
    {"PCD", {"pcd"}, {"# .PCD"sv, "VERSION 0.7"sv, "VERSION .7"sv, "VERSION 0.6"sv}, PointFormat::pcd},
    {"HDF5", {"h5", "hdf5"}, {"\x89HDF\r\n\x1a\n"sv}, {}, k_hdf5_hint},
    {"Parquet", {"parquet"}, {"PAR1"sv}, {}, k_parquet_hint},
    {"Arrow", {"arrow", "feather", "ipc"}, {"ARROW1"sv, "FEA1"sv}, {}, k_arrow_hint},
    {"FITS", {"fits", "fit", "fts"}, {"SIMPLE  ="sv}, {}, k_fits_hint},
    {"OBJ", {"obj"}, {}, {}, k_obj_hint},
    {"a mesh", {"stl", "off"}, {}, {}, k_mesh_hint, is_off},
    {"GeoTIFF", {"tif", "tiff"}, {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}, {}, k_raster_hint},
    {"a shapefile", {"shp"}, {"\0\0\x27\x0a"sv}, {}, k_features_hint},
    {"GeoPackage", {"gpkg"}, {"SQLite format 3\0"sv}, {}, k_features_hint},
    {"GeoJSON", {"geojson"}, {}, {}, k_features_hint, is_geojson},
    {"NPZ", {"npz", "zip"}, {"PK\x03\x04"sv}, PointFormat::npz},
    {"fvecs", {"fvecs"}, {}, PointFormat::fvecs},
    {"fbin", {"fbin"}, {}, PointFormat::fbin},
    {"KITTI", {"kitti"}, {}, PointFormat::kitti},
    {"raw float32", {"bin"}, {}, {}, k_raw_hint},
    {"gzip", {"gz"}, {"\x1f\x8b"sv}, {}, "decompress it first, e.g. with gunzip"},
    {"bzip2", {"bz2"}, {"BZh"sv}, {}, "decompress it first, e.g. with bunzip2"},
    {"xz", {"xz"}, {"\xfd\x37zXZ\0"sv}, {}, "decompress it first, e.g. with unxz"},
    {"zstd", {"zst"}, {"\x28\xb5\x2f\xfd"sv}, {}, "decompress it first, e.g. with unzstd"},
    {"UTF-16",
     {},
     {"\xff\xfe"sv, "\xfe\xff"sv, "p\0l\0y\0"sv, "\0p\0l\0y"sv},
     {},
     "convert it, e.g. with 'iconv -f UTF-16 -t UTF-8'"},
});

}  // namespace

bool Format::has_extension(std::string_view extension) const {
  return !extension.empty() && std::ranges::find(extensions, extension) != extensions.end();
}

std::size_t Format::magic_of(std::string_view head) const {
  if (is_content && is_content(head)) return head.size();
  const auto magic =
      std::ranges::find_if(magics, [&](std::string_view m) { return !m.empty() && head.starts_with(m); });
  return magic == magics.end() ? 0 : magic->size();
}

std::string Format::hint_for(const std::string& file, const std::string& option) const {
  // If a shell or Python would read the name in another way, the hint shows an example instead
  const bool is_plain = std::ranges::all_of(file, [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("._-+/").find(static_cast<char>(c)) != std::string_view::npos;
  });
  const std::string name = is_plain && file != "stdin" ? file : "x." + std::string(extensions[0]);
  const std::pair<std::string_view, std::string> values[] = {
      {"{file}", name}, {"{stem}", name.substr(0, name.rfind('.'))}, {"{option}", option}};
  std::string text(hint);
  for (const auto& [place, value] : values)
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size())
      text.replace(at, place.size(), value);
  return text;
}

std::span<const Format> known_formats() { return k_formats; }

const Format& format_of(PointFormat reader) {
  return *std::ranges::find(k_formats, std::optional(reader), &Format::reader);
}

}  // namespace kann::formats
