// Writes clouds with their attributes to files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/points.hpp"

namespace kann {

/// - ply: binary, little-endian. x, y and z keep their type, float or double. A 2-D cloud gets z = 0 and the header
///   line `comment dimensions 2`, unless an attribute is called z and serves as z. Attributes have the names and types
///   that readers expect by their Meaning: colours are uchar, near infrared ushort, classes uchar where they fit, scan
///   angles float, in degrees; what was found has `scalar_` before its name. Others keep their name and type; 64-bit
///   integers become int or uint where all values fit, else double, if that holds them. Characters that PLY does not
///   allow in a name are written as _.
/// - las: coordinates are integers times a power of ten. Attributes for which LAS has no field become extra bytes.
/// - laz: the same, compressed by LASzip, which the library may have been built without.
/// - csv: a header and a line per point; numbers are the shortest that read back as the same value of their type, but
///   for coordinates whose decimals are known. Text attributes, which the other formats refuse, stay as they are, in
///   quotes where they need them (RFC 4180).
/// If several attributes have the same name, or the name of a coordinate or a field, the later ones get a number:
/// `x_1`.
enum class CloudFormat { ply, las, laz, csv };

/// The names that cloud_format() takes, for messages.
inline constexpr std::string_view k_cloud_formats = "ply, las, laz or cloud-csv";

/// Whether files of this format are made of LAS records.
inline bool has_las_records(CloudFormat format) { return format == CloudFormat::las || format == CloudFormat::laz; }

/// The format of that name (any case), if there is one; csv is `cloud-csv`, as `csv` is a format of neighbours.
std::optional<CloudFormat> cloud_format(std::string_view name);

/// Consecutive points of a cloud, in memory of the caller.
struct CloudBlock {
  PointsView points;
  std::span<const Attribute> attributes;  ///< each with one value per point
  const LasRecords* las = nullptr;        ///< the records of these points, or null; LAS and LAZ use them
};

/// A cloud that need not fit in memory: its points come in blocks.
struct CloudBlocks {
  std::int64_t points = 0;  ///< of all blocks together

  using Sink = std::function<void(const CloudBlock& block)>;

  /// Passes all points to the sink, in their order and always in the same blocks, at each call. It may be called more
  /// than once, since the head of some formats depends on all values. All blocks have the same dimensions, types and
  /// names; all or none have LAS records, with the same `head`; what follows these records is `extended` of the first
  /// block. A cloud without points is one empty block.
  std::function<void(const Sink& sink)> for_each;

  /// The names of the coordinates, one each, for csv; empty: x, y and z.
  std::vector<std::string> coordinate_names = {};
  std::vector<int> decimals = {};  ///< the digits after the point of each, as Cloud::decimals, for csv
};

/// A cloud file that is complete or absent under its final name, as NeighborFile is: open it before the search, write
/// once, commit. If it is destroyed before `commit()`, an old file stays as it was.
class CloudFile {
 public:
  /// `path` "-" is standard output. With `replace`, an existing file is replaced at commit(). Opening a FIFO blocks
  /// until it has a reader.
  /// @throws Error usage (the file exists, without `replace`; LAZ without LASzip), resources (the file cannot be
  /// created).
  CloudFile(const std::string& path, CloudFormat format, bool replace);
  ~CloudFile();
  CloudFile(CloudFile&&) noexcept;
  CloudFile& operator=(CloudFile&&) noexcept;

  /// Writes the cloud, however it is divided into blocks; blocks. Rows are made on up to `threads` threads (0: all the
  /// machine has), or fewer if the system refuses to start them; the bytes are the same. Memory: a few hundred
  /// kilobytes per thread, and the head of the file.
  ///
  /// LAS with records: the records stay as they are, including their coordinates, and so do version, point format,
  /// scale, offset and the variable length records. An attribute replaces the field that has its name or its Meaning,
  /// if the field can hold its values; all others are appended as extra bytes. The point format becomes the shortest
  /// one of its kind that has colours, GPS times or near infrared, where attributes have these. Counts and bounds are
  /// those of the records. The extended variable length records follow the points, but waveforms are not part of
  /// LasRecords, and the header then says that there are none. LAS without records: version 1.4, point format 6, 7 with
  /// colours, or 8 with near infrared, too. Colours are scaled so that a full one is 65,535: 1 in floats of at most 1,
  /// 255 if none is more than that. Intensities that are fractions of at most 1 are multiplied by 65,535, and scan
  /// angles converted. The scale of an axis is the coarsest power of ten, 0.001 at most, that gives all its coordinates
  /// back in their type, else the finest with which int32 holds the extent.
  ///
  /// Passes over `cloud`: one to write; before it, one for PLY with 64-bit integers or colours that are no bytes, and
  /// for LAS with records, and two or a few more (until a scale is found) for other LAS.
  /// @returns warnings, one line each, without a prefix, about attributes that got another name, since a coordinate, a
  ///         field or an attribute before them has theirs, or that are extra bytes though LAS has a field of their
  ///         meaning, about colours that bytes do not hold, and about LAS coordinates that are rounded to more than
  ///         0.001.
  /// @throws Error bad_input (a number of values that is not that of the points; what the format cannot hold: in LAS,
  ///         coordinates that are not finite and more bytes of attributes than a record may have, in PLY, an integer
  ///         that double does not hold), resources ("PATH: No space left on device (old file kept)"), internal (the
  ///         blocks are not one cloud), and what `cloud` throws. Nothing may be written after that, or after the cloud:
  ///         internal.
  std::vector<std::string> write(const CloudBlocks& cloud, int threads = 0);

  /// The same for a cloud that is in memory. @throws as the other write().
  std::vector<std::string> write(const PointsView& points, std::span<const Attribute> attributes,
                                 const LasRecords* las = nullptr, int threads = 0);

  /// Lets write() call `on_progress` every few megabytes, on the thread that calls write(), with the number of bytes
  /// written so far and the size of the whole file (an estimate if the file is text).
  void report_progress(std::function<void(std::uint64_t done, std::uint64_t total)> on_progress);

  /// Makes the file visible under its final name, on disk; blocks.
  /// @throws Error usage (a file of that name has appeared, without `replace`), resources.
  void commit();

  struct State;  // defined in the source file

 private:
  std::unique_ptr<State> state_;
};

}  // namespace kann
