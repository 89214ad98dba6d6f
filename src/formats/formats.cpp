#include "formats/formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

#include "formats/las/las_header.hpp"
#include "formats/las/laz.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/lines.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {
namespace {

using namespace std::string_view_literals;

// Debian 12 has no PDAL, and its CloudCompare links nothing that reads LAS or E57; neither system lets pip install
// outside a virtual environment. So these are commands for a shell, tried on Debian 12, of packages that both systems
// have. They keep all attributes, and coordinates as float64.
constexpr std::string_view k_laz_hint =
    "{pip} 'laspy[lazrs]' {python} \"import laspy; laspy.read('{file}').write('{stem}.las')\"";
constexpr std::string_view k_e57_hint =
    "{pip} pye57 pandas {python} \"import pye57, pandas; e = pye57.E57('{file}'); pandas.concat(pandas.DataFrame("
    "e.read_scan(i, ignore_missing_fields=True, intensity=True, colors=True, row_column=True)).assign(scan=i) "
    "for i in range(e.scan_count)).to_csv('{stem}.csv', index=False)\"";
constexpr std::string_view k_parquet_hint =
    "{pip} pyarrow {python} \"import pyarrow.parquet as p, pyarrow.csv as c; "
    "c.write_csv(p.read_table('{file}'), '{stem}.csv')\"";
constexpr std::string_view k_arrow_hint =
    "{pip} pyarrow {python} \"import pyarrow.feather as f, pyarrow.csv as c; "
    "c.write_csv(f.read_table('{file}'), '{stem}.csv')\"";
constexpr std::string_view k_table_hint =
    "{pip} astropy {python} \"from astropy.table import Table; Table.read('{file}').write('{stem}.csv')\"";
constexpr std::string_view k_excel_hint =  // keeps whole numbers, and cells like NA
    "{pip} pandas openpyxl {python} \"import pandas; [d.to_csv(f'{stem}_{n}.csv', index=False) for n, d in "
    "pandas.read_excel('{file}', None, dtype=object, keep_default_na=False).items()]\"";
constexpr std::string_view k_obj_hint =  // trimesh rounds to float32
    "convert it: awk '$1 == \"v\" {if (!n++) print \"x y z\" (NF > 6 ? \" r g b\" : NF > 4 ? \" w\" : \"\"); "
    "$1 = \"\"; print}' '{file}' > '{stem}_xyz.txt'";
constexpr std::string_view k_off_hint =  // trimesh leaves out colours
    "convert it: awk 'NR == 1 {h = /C/ ? \" red green blue alpha\" : /N/ ? \" nx ny nz\" : \"\"; next} /^#/ {next} "
    "!NF {next} !n {n = $1; print \"x y z\" h; next} i++ < n' '{file}' > '{stem}_xyz.txt'";
constexpr std::string_view k_stl_hint =
    "{pip} trimesh {python} \"import trimesh; trimesh.load('{file}', process=False).export('{stem}.ply')\"";
constexpr std::string_view k_ptx_hint =  // points at 0, 0, 0 are directions without an echo
    "its scans have poses of their own; convert it: awk 'NF == 1 {m = 0; next} m++ < 8 {for (i = 1; i < 4; ++i) "
    "t[m, i] = $i; s += m == 8; next} $1 * $1 + $2 * $2 + $3 * $3 {if (!n++) print \"x y z intensity\" "
    "(NF > 4 ? \" r g b\" : \"\") \" scan\"; for (i = 1; i < 4; ++i) printf \"%.17g \", $1 * t[5, i] + $2 * t[6, i] + "
    "$3 * t[7, i] + t[8, i]; $1 = $2 = $3 = \"\"; print $0, s}' '{file}' > '{stem}_xyz.txt'";
constexpr std::string_view k_vtk_hint =
    "{pip} pyvista {python} \"import pyvista, numpy as n; m = pyvista.read('{file}'); "
    "c = {k + f'_{i}' * (a.ndim > 1): v for k, a in m.point_data.items() for i, v in enumerate(n.atleast_2d(a.T))}; "
    "n.save('{stem}.npy', n.rec.fromarrays([*m.points.T, *c.values()], names=[*'xyz', *c]))\"";
constexpr std::string_view k_colmap_hint =  // each image of a track is two numbers
    "convert it: awk '/^#/ {next} !NF {next} !n++ {print \"point3D_id x y z r g b error track_length\"} "
    "{print $1, $2, $3, $4, $5, $6, $7, $8, (NF - 8) / 2}' '{file}' > '{stem}_xyz.txt'";
constexpr std::string_view k_raster_hint =  // gdal_translate writes cells of nodata, and the first band alone
    "{pip} rasterio {python} \"import rasterio, numpy as n; r = rasterio.open('{file}'); "
    "b = r.read(masked=True).astype(float).filled(n.nan); i, j = n.nonzero(b[0] == b[0]); n.save('{stem}.npy', "
    "n.rec.fromarrays([*r.xy(i, j), *b[:, i, j]], names=[*'xyz', *(f'band{k}' for k in range(2, len(b) + 1))]))\"";
constexpr std::string_view k_features_hint =  // ogr2ogr writes 15 digits, and quotes the numbers of other tables
    "{pip} geopandas {python} \"import geopandas as g; d = g.read_file('{file}'{wkt}); d.drop(columns='geometry')"
    ".join(d.get_coordinates(include_z=True).dropna(axis=1)).to_csv('{stem}_xyz.csv', index=False)\"";
constexpr std::string_view k_hdf5_hint =
    "{pip} h5py {python} \"import h5py, numpy; numpy.save('{stem}.npy', h5py.File('{file}')['NAME'][:])\"";
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

/// Whether a file begins so, and has this word in its head.
bool begins_and_has(std::string_view head, std::string_view first, std::string_view word) {
  return head.starts_with(first) && head.find(word) != std::string_view::npos;
}
bool is_geojson(std::string_view head) { return begins_and_has(head, "{", "\"FeatureCollection\""); }
bool is_votable(std::string_view head) { return begins_and_has(head, "<", "<VOTABLE"); }
bool is_vtk_xml(std::string_view head) { return begins_and_has(head, "<", "<VTKFile"); }
bool is_excel(std::string_view head) { return begins_and_has(head, "PK", "xl/work"); }  // in names of the archive

/// Whether the lines have as many words as those of a PTX file: two counts, the scanner's position and axes, a matrix.
bool is_ptx(std::string_view head) {
  Lines lines(head);
  std::string_view line;
  return std::ranges::all_of(std::array{1, 1, 3, 3, 3, 3, 4, 4, 4, 4}, [&](int words) {
    return lines.next(line) && line.find_first_not_of("0123456789.eE+- \t") == line.npos && count_words(line) == words;
  });
}

/// Whether a table has points as text (WKT) in its first two lines, and does not name x and y.
bool is_wkt(std::string_view head) {
  const std::string_view lines = head.substr(0, head.find('\n', head.find('\n') + 1));
  const std::size_t point = lines.find("POINT");
  const std::size_t open = point == lines.npos ? point : lines.find_first_not_of(" ZM", point + 5);
  if (open >= lines.size() || lines[open] != '(') return false;
  ReadRequest request;
  request.takes_angles = true;
  const TextLayout layout = guess_text_layout(head, request);
  return layout.header_line == 0 || layout.axes.empty();
}

// A format that is recognised by more than its first bytes comes before the format that these bytes stand for.
constexpr auto k_formats = std::to_array<Format>({
    {"PLY", {"ply"}, {"ply\n"sv, "ply\r"sv}, PointFormat::ply},
    {"text", {"xyz", "txt", "csv", "tsv"}, {}, PointFormat::text},
    {"NPY", {"npy"}, {"\x93NUMPY"sv}, PointFormat::npy},
    {"LAZ", {"laz"}, {}, PointFormat::laz, k_laz_hint, is_laz, has_laszip},
    {"LAS", {"las"}, {"LASF"sv}, PointFormat::las},
    {"E57", {"e57"}, {"ASTM-E57"sv}, {}, k_e57_hint},
    {"PCD", {"pcd"}, {"# .PCD"sv, "VERSION 0.7"sv, "VERSION .7"sv, "VERSION 0.6"sv}, PointFormat::pcd},
    {"HDF5", {"h5", "hdf5"}, {"\x89HDF\r\n\x1a\n"sv}, {}, k_hdf5_hint},
    {"Parquet", {"parquet"}, {"PAR1"sv}, {}, k_parquet_hint},
    {"Arrow", {"arrow", "feather", "ipc"}, {"ARROW1"sv, "FEA1"sv}, {}, k_arrow_hint},
    {"FITS", {"fits", "fit", "fts"}, {"SIMPLE  ="sv}, {}, k_table_hint},
    {"VOTable", {"vot", "votable"}, {}, {}, k_table_hint, is_votable},
    {"Excel", {"xlsx", "xlsm"}, {}, {}, k_excel_hint, is_excel},
    {"OBJ", {"obj"}, {}, {}, k_obj_hint},
    {"OFF", {"off"}, {}, {}, k_off_hint, is_off},
    {"STL", {"stl"}, {}, {}, k_stl_hint},
    {"PTX", {"ptx"}, {}, {}, k_ptx_hint, is_ptx},
    {"VTK", {"vtk", "vtp", "vtu"}, {"# vtk DataFile"sv}, {}, k_vtk_hint, is_vtk_xml},
    {"COLMAP's points3D.txt", {}, {"# 3D point list"sv}, {}, k_colmap_hint},
    {"a table with points in WKT", {}, {}, {}, k_features_hint, is_wkt, nullptr, true},
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
  const std::string_view extension = !extensions[0].empty() ? extensions[0] : is_table ? "csv" : "txt";
  const std::string name = is_plain && file != "stdin" ? file : fmt::format("x.{}", extension);
  const std::pair<std::string_view, std::string> values[] = {
      {"{pip}", "convert it: python3 -m venv v && v/bin/pip install"},
      {"{python}", "&& v/bin/python -c"},
      {"{wkt}", is_table ? ", GEOM_POSSIBLE_NAMES='WKT,geo*,*geom', KEEP_GEOM_COLUMNS='NO'" : ""},
      {"{file}", name},
      {"{stem}", name.substr(0, name.rfind('.'))},
      {"{option}", option}};
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
