#include "io/points/formats.hpp"

#include <algorithm>

namespace kann::io {
namespace {

using namespace std::string_view_literals;

// Debian 12 has no PDAL, and its CloudCompare links nothing that reads LAS or E57; neither system lets pip install
// outside a virtual environment. So these are commands for a shell, tried on Debian 12, of packages that both systems
// have.
constexpr std::string_view k_laz_hint =
    "convert it: python3 -m venv v && v/bin/pip install 'laspy[lazrs]' && "
    "v/bin/python -c \"import laspy, numpy; numpy.save('x.npy', laspy.read('x.laz').xyz)\"";
constexpr std::string_view k_e57_hint =
    "convert it: python3 -m venv v && v/bin/pip install pye57 && v/bin/python -c \"import pye57, numpy; "
    "s = pye57.E57('x.e57').read_scan(0, ignore_missing_fields=True); "
    "numpy.save('x.npy', numpy.stack([s['cartesian' + a] for a in 'XYZ'], 1))\"";
constexpr std::string_view k_parquet_hint =
    "convert it: python3 -m venv v && v/bin/pip install pyarrow && v/bin/python -c \"import pyarrow.parquet as p, "
    "pyarrow.csv as c; c.write_csv(p.read_table('x.parquet'), 'x.csv')\"";
constexpr std::string_view k_hdf5_hint =
    "convert it: apt install python3-h5py && python3 -c \"import h5py, numpy; "
    "numpy.save('x.npy', h5py.File('x.h5')['NAME'][:])\"";
constexpr std::string_view k_raw_hint =
    "KITTI's frames are read with --data-format kitti; convert others with numpy, for four values per point: "
    "numpy.save(\"x.npy\", numpy.fromfile(\"x.bin\", \"f4\").reshape(-1, 4)[:, :3])";

/// Whether a LAS file is compressed: its point format has bit 7, and not bit 6.
bool is_laz(std::string_view head) {
  constexpr std::size_t point_format = 104;
  return head.starts_with("LASF") && head.size() > point_format && (head[point_format] & 0xc0) == 0x80;
}

// A format that is told by more than its first bytes comes before the one that these stand for.
constexpr auto k_formats = std::to_array<Format>({
    {"PLY", {"ply"}, {"ply\n"sv, "ply\r"sv}, PointFormat::ply},
    {"text", {"xyz", "txt", "csv"}, {}, PointFormat::text},
    {"NPY", {"npy"}, {"\x93NUMPY"sv}, PointFormat::npy},
    {"LAZ", {"laz"}, {}, {}, k_laz_hint, is_laz},
    {"LAS", {"las"}, {"LASF"sv}, PointFormat::las},
    {"E57", {"e57"}, {"ASTM-E57"sv}, {}, k_e57_hint},
    {"PCD", {"pcd"}, {"# .PCD"sv, "VERSION 0.7"sv, "VERSION .7"sv, "VERSION 0.6"sv}, PointFormat::pcd},
    {"HDF5", {"h5", "hdf5"}, {"\x89HDF\r\n\x1a\n"sv}, {}, k_hdf5_hint},
    {"Parquet", {"parquet"}, {"PAR1"sv}, {}, k_parquet_hint},
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

bool Format::has_magic_of(std::string_view head) const {
  return (is_content && is_content(head)) ||
         std::ranges::any_of(magics, [&](std::string_view m) { return !m.empty() && head.starts_with(m); });
}

std::span<const Format> formats() { return k_formats; }

const Format& format_of(PointFormat reader) {
  return *std::ranges::find(k_formats, std::optional(reader), &Format::reader);
}

}  // namespace kann::io
