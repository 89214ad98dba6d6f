// Reads point clouds from files and writes neighbours to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/condition.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

namespace kann {

/// text: XYZ, TXT and CSV; delimiter and header are guessed. laz: compressed LAS, which is refused where the library
/// was built without LASzip. kitti: x, y, z and reflectance as float32; nothing in such a file identifies the format.
enum class PointFormat { ply, text, npy, npz, pcd, las, laz, fvecs, fbin, kitti };

/// The names that point_format() takes, for messages.
inline constexpr std::string_view k_point_formats =
    "ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti";

/// The format of that name or file extension (any case, no dot), if there is one.
std::optional<PointFormat> point_format(std::string_view name);

struct ReadOptions {
  /// The format, instead of what extension and content suggest. A file that clearly begins like another format is
  /// refused. Standard input needs a format.
  std::optional<PointFormat> format = {};
  /// The columns (properties of a PLY vertex, fields of a structured array or of PCD) that are x, y and, in 3-D, z:
  /// each a name as it stands in the file, or a number from 1. Empty: the columns are recognised by their names. A
  /// number that contradicts these names is refused.
  std::vector<std::string> columns = {};
  /// The coordinates are two angles, longitude (or right ascension) and latitude (or declination). They are recognised
  /// by such names; without any name, they are the two columns that there are. They are read in degrees, and become
  /// float64 where degrees_per_unit() converts them.
  bool sky = false;
  /// The attributes that are wanted besides the coordinates, which may be among them: each the name of a property,
  /// column or field as it stands in the file, else the only one that is the same in another case, else the one with
  /// the same Meaning (`red` finds R, `intensity` scalar_Intensity), or a number from 1.
  /// They keep the type of the file. In text, columns of whole numbers are int32, int64 or uint64,
  /// whichever holds all of them first, and others are float64; those without a name are `column_4` by their number.
  /// Fields of LAS have the names of laspy (intensity, return_number, classification, gps_time, red, ..., and those of
  /// extra bytes); x, y and z of LAS, and extra bytes with a scale, are scaled float64. A field rgb of PCD is red,
  /// green and blue. Arrays without names have no attributes.
  std::vector<std::string> attributes = {};
  /// Read all columns but the coordinates as attributes, as far as they are numbers (a warning names the others).
  /// Columns that only `attributes` asks for, such as coordinates, follow them.
  bool all_attributes = false;
  /// A column of a text file is text (Attribute::texts) if a cell of it is no number. Otherwise such a column is
  /// refused or left out.
  bool texts = false;
  /// Points that do not meet it are left out: no search finds them, and as queries they have no neighbours, but the
  /// others keep their row numbers. Their first coordinate becomes a NaN that searches know. The columns that it names
  /// are found as `attributes` are, and follow these in Cloud::asked.
  Condition where = {};
  bool las_records = false;  ///< also keep the records of a LAS or LAZ file unchanged
  /// Files that hold nothing but coordinates are read on up to this many threads (0: as many as pay off), or fewer if
  /// the system refuses to start them.
  int threads = 0;
  /// Called every few megabytes, on the thread that called read_points(), with the number of bytes read so far and the
  /// size of the file (0 if it is unknown, as for a pipe). May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};
  /// Whether the first line of a text file names its columns, where it could also be a point (0,1,2). Without a value,
  /// such a file is refused.
  std::optional<bool> header = {};
  /// Whether double quotes around a cell of a text file do not belong to it, and hide delimiters and line breaks
  /// (RFC 4180). Otherwise they are characters like others.
  bool quotes = true;
  /// The name of `format` in messages.
  std::string format_option = "--data-format or --query-format";
};

/// The coordinate system that a file names.
struct CoordinateSystem {
  std::string name = {};              ///< empty if only the number is known
  std::optional<int> epsg = {};       ///< its number in EPSG's register
  std::optional<double> metres = {};  ///< the length of its unit; none: it is unknown, or an angle
};

struct Cloud {
  Points points;
  std::vector<std::string> warnings;  ///< one line each, without a prefix
  /// The columns taken as x, y and z: ReadOptions::columns, else the names in a text file's header, or of the fields of
  /// an array or a PCD file.
  std::vector<std::string> columns = {};
  /// The attributes that ReadOptions asked for, each once, in the order of ReadOptions; with `all_attributes`, in the
  /// order of the file. Each has a value per point.
  std::vector<Attribute> attributes = {};
  /// For each name in ReadOptions::attributes, and in its `where`, the places in `attributes` that it stands for: one
  /// place, or three (red, green and blue) for a field rgb of PCD.
  std::vector<std::vector<std::size_t>> asked = {};
  /// With ReadOptions::all_attributes, the number of attributes at the end of `attributes` that were read only because
  /// they were named.
  std::size_t asked_besides = 0;
  std::vector<std::string> units =
      {};  ///< of the coordinates, as a line under the header of a text says them; or empty
  std::shared_ptr<const LasRecords> las = {};  ///< the records of a LAS file, with ReadOptions::las_records
  std::vector<int> decimals = {};  ///< the digits after the point of each coordinate, by the scales of LAS; or empty
  /// That of a LAS or PLY file, as far as what is before the points says it.
  std::optional<CoordinateSystem> system = {};
};

/// Reads a whole cloud; blocks. `path` "-" is standard input. Without a format in `options` the extension decides, or
/// the content where it is clearly another format (with a warning). Memory is allocated for the bytes that the file
/// holds, not for the counts in its header. NaN and infinite coordinates are read as they are; in text, an empty cell,
/// NA and null are NaN.
/// @throws Error usage (options, or the format cannot be determined), bad_input ("FILE[:line | @byte B]: what is
///         wrong", also where nothing says which columns are coordinates, and of attributes that are not there or are
///         no numbers), resources (memory, too many open files).
Cloud read_points(const std::string& path, const ReadOptions& options = {});

/// The columns, from 0, that read_points() takes as x, y and z, or with `sky` as longitude and latitude, of a table
/// with these names; empty if the names do not say. Of two or three columns, it is all of them in their order if no
/// name says anything: none is that of a coordinate, an angle, a height or an id.
/// @param sky as ReadOptions::sky; none: two angles are taken where the names are not those of x and y
/// @param table its name in messages
/// @throws Error bad_input: they are angles, and `sky` is false.
std::vector<std::size_t> coordinate_columns(std::span<const std::string_view> names, std::optional<bool> sky,
                                            const std::string& table);

/// How many degrees the unit of an angle is, as the name of its column says: 15 for hours, as of ra_h, 180/π for
/// radians, as of lon_rad; else 1.
double degrees_per_unit(std::string_view column);

/// mtx (Matrix Market, a matrix of distances) is for lists alone.
enum class NeighborFormat { npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx };

/// The format of that name or file extension (any case, no dot), if there is one.
std::optional<NeighborFormat> neighbor_format(std::string_view name);

/// A value per query, in blocks, for the array of that name in an npz.
struct ColumnBlocks {
  std::string name;
  AttributeValues type;  ///< without values

  /// Passes all values, of that type and in the order of the queries, to the sink, at each call.
  std::function<void(const std::function<void(const AttributeValues&)>& sink)> for_each;
};

/// What an npz has in addition to ids and distances; formats that have no place for it leave it out.
struct ResultExtras {
  std::string_view meta_json = {};
  std::span<const ColumnBlocks> per_query = {};
  std::span<const Attribute> globals = {};  ///< of any length; a single value has no dimension
};

/// A result file that is complete or absent under its final name: bytes go to a temporary file in the target folder,
/// then fsync and rename. Open it before the search, so that a target that cannot be written fails early. If it is
/// destroyed before `commit()`, the temporary file is removed and an old file stays as it was.
class NeighborFile {
 public:
  /// `path` "-" is standard output. With `replace`, an existing file is replaced at commit(). Opening a FIFO blocks
  /// until it has a reader.
  /// @throws Error usage (the file exists, without `replace`), resources (the file cannot be created).
  NeighborFile(const std::string& path, NeighborFormat format, bool replace);
  ~NeighborFile();
  NeighborFile(NeighborFile&&) noexcept;
  NeighborFile& operator=(NeighborFile&&) noexcept;

  /// Writes all rows; blocks. Text, rows of ivecs and fvecs, and checksums are made on up to `threads` threads (0: all
  /// the machine has), or fewer if the system refuses to start them; the bytes are the same. The threads end before the
  /// call returns. An npz that goes to a stream reads the rows twice as often as one in a file, since checksums precede
  /// the arrays.
  /// - Of lists, npz has `indptr` (m + 1, int64), `ids` and `distances`, from which scipy.sparse.csr_matrix((distances,
  ///   ids, indptr)) makes a matrix; csv and tsv have a line for each neighbour; mtx has a line with row, column and
  ///   distance, counted from 1. Other formats have no place for them.
  /// - With RowBlocks::shift_numbers, npz has `shifts` (int32), too: so many for each neighbour.
  /// - Without RowBlocks::for_each, there are no rows, and npz has `per_query` alone.
  /// @throws Error usage (the blocks are not queries × k, or extras not a value per query, or the format cannot hold
  /// lists or ids of 64 bits), resources ("PATH: No space left on device (old file kept)"), and what `rows` throws.
  /// Nothing may be written after that, or after the whole result: internal.
  void write(const RowBlocks& rows, int threads = 0, const ResultExtras& extras = {});

  /// The same for rows that are in memory.
  void write(const Neighbors& neighbors, std::string_view meta_json, int threads = 0,
             std::span<const Attribute> extras = {}, std::span<const Attribute> globals = {});

  /// Lets write() call `on_progress` every few megabytes, on the thread that calls write(), with the number of bytes
  /// written so far, and the size of the whole result. The size of text is an estimate from the lines so far.
  void report_progress(std::function<void(std::uint64_t done, std::uint64_t total)> on_progress);

  /// Makes the file visible under its final name(s), on disk; blocks. With npy, which has two files, the ids are absent
  /// while the distances on disk do not belong to them, so that a process killed in between leaves no pair that does
  /// not match.
  /// @throws Error usage (a file of that name has appeared, without `replace`), resources.
  void commit();

  struct State;  // defined in the source file

 private:
  std::unique_ptr<State> state_;
};

/// Removes the temporary files of every NeighborFile not yet committed, and makes threads wait for ever that begin
/// another one. Async-signal-safe: for handlers of SIGINT and SIGTERM that end the process right after it.
void remove_pending_outputs() noexcept;

}  // namespace kann
