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
#include <vector>

#include "kann/attributes.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

/// text: XYZ, TXT and CSV; delimiter and header are guessed. kitti: x, y, z and reflectance as float32, which nothing
/// in the file says.
enum class PointFormat { ply, text, npy, npz, pcd, las, fvecs, fbin, kitti };

/// The names that point_format() takes, for messages.
inline constexpr std::string_view k_point_formats = "ply, xyz, txt, csv, npy, npz, pcd, las, fvecs, fbin or kitti";

/// The format of that name or file extension (any case, no dot), if there is one.
std::optional<PointFormat> point_format(std::string_view name);

struct ReadOptions {
  /// Decides instead of extension and content, but for a file that clearly begins as another format does: it is
  /// refused. Standard input needs it.
  std::optional<PointFormat> format = {};
  /// The columns (properties of a PLY vertex, fields of a structured array or of PCD) that are x, y and, in 3-D, z:
  /// each a name as it stands in the file, or a number from 1. Empty: those whose names say so.
  std::vector<std::string> columns = {};
  /// The attributes that are wanted besides the coordinates, which may be among them: each the name of a property,
  /// column or field as it stands in the file, else the only one that is the same in another case, or a number from 1.
  /// They keep the type of the file. In text, columns of whole numbers that int32 holds are int32, else float64, and
  /// those without a name are `column_4` by their number. Fields of LAS have the names of laspy (intensity,
  /// return_number, classification, gps_time, red, ..., and those of extra bytes); x, y and z of LAS, and extra bytes
  /// with a scale, are scaled float64. A field rgb of PCD is red, green and blue. Arrays without names have no
  /// attributes.
  std::vector<std::string> attributes = {};
  /// All but the coordinates, as far as they are numbers (a warning names the others). What `attributes` name besides,
  /// such as coordinates, follows them.
  bool all_attributes = false;
  bool las_records = false;  ///< of LAS, the records as they stand, too
  /// Files that hold nothing but coordinates are read on up to so many threads (0: as many as pay off), or fewer if the
  /// system refuses to start them.
  int threads = 0;
  /// Called with the bytes that are done and those of the file, which are 0 where nothing says how many (a pipe), after
  /// some megabytes each time, on the thread that called read_points(). ASCII PLY and PCD, which are read whole before
  /// they are parsed, count up to their size twice. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};
  /// Whether the first line of a text file names its columns, where it could also be a point (0,1,2). Without a value,
  /// such a file is refused.
  std::optional<bool> header = {};
  /// What messages call `format`.
  std::string format_option = "--data-format or --query-format";
};

struct Cloud {
  Points points;
  std::vector<std::string> warnings;  ///< one line each, without a prefix
  /// The columns taken as x, y and z: those of ReadOptions, else names in a text file's header, of an array's
  /// fields or of those of PCD.
  std::vector<std::string> columns = {};
  /// As ReadOptions asked for, each once, in its order; all: in that of the file. Each has a value per point.
  std::vector<Attribute> attributes = {};
  /// Where in `attributes` that is which each of ReadOptions::attributes names: one place each, but three, of red,
  /// green and blue, for a field rgb of PCD.
  std::vector<std::vector<std::size_t>> asked = {};
  /// With ReadOptions::all_attributes, how many at the end of `attributes` are there only since they were named.
  std::size_t asked_besides = 0;
  std::shared_ptr<const LasRecords> las = {};  ///< with ReadOptions::las_records, of a LAS file
};

/// Refuses options before a file is read. @throws Error usage: `columns` are not two or three different ones.
void check_read_options(const ReadOptions& options);

/// Reads a whole cloud; blocks. `path` "-" is standard input. Without a format in `options` the extension decides, or
/// the content where it is clearly another format (with a warning). Memory is allocated for the bytes that the file
/// holds, not for the counts in its header. NaN and infinite coordinates are read as they are; in text, an empty cell,
/// NA and null are NaN.
/// @throws Error usage (options, or the format cannot be determined), bad_input ("FILE[:line | @byte B]: what is
///         wrong", also where nothing says which columns are coordinates, and of attributes that are not there or are
///         no numbers), resources (memory, too many open files).
Cloud read_points(const std::string& path, const ReadOptions& options = {});

/// What reading a file would give and take, roughly.
struct CloudEstimate {
  std::int64_t points = 0;
  int dimensions = 3;  ///< 3 where only all of the file says it
  double read_seconds = 0;
  bool is_float64 = false;  ///< of its coordinates, as far as the head says it
};

/// Looks at the first 64 KiB of a file, and at its size: takes what its header says as far as the file is large enough,
/// else its size over that of a row. None if that says nothing: standard input, what is not a regular file, and a file
/// that read_points() will refuse. Blocks.
std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadOptions& options = {});

enum class NeighborFormat { npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin };

/// The format of that name or file extension (any case, no dot), if there is one.
std::optional<NeighborFormat> neighbor_format(std::string_view name);

/// A result whose rows need not fit in memory: they come in blocks.
struct RowBlocks {
  std::int64_t queries = 0;
  std::int64_t k = 0;
  bool has_wide_ids = false;  ///< some may be past int32: npy and npz have int64 then

  /// Takes whole rows: ids, or k_missing_id, and distances, as in Neighbors.
  using Sink = std::function<void(std::span<const std::int64_t> ids, std::span<const float> distances)>;

  /// Gives all rows in their order, each time that it is called: formats have ids and distances one after the other.
  std::function<void(const Sink&)> for_each;

  std::int64_t first = 0;  ///< number of the first row, where others precede it: text says it in each line
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

  /// Writes ahead of write() what there is: the first `ids` ids and the first `distances` distances of `neighbors`, as
  /// far as the format has them next (npz, npy, bin, ibin and fbin; other formats and streams wait for write());
  /// blocks. May be called again with more. For SearchOptions::on_rows. @throws as write().
  void write_ahead(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances, int threads = 0);

  /// Writes all rows, or those that write_ahead() has left, of the same neighbours; blocks. `extras`, each a value per
  /// query, `globals`, of any length and about the result as a whole, and `meta_json` go into formats that have a place
  /// for them (npz: an array of their name; a single global value has no dimension). Text, rows of
  /// ivecs and fvecs, and checksums are made on up to `threads` threads (0: all the machine has), or fewer if the
  /// system refuses to start them; the bytes are the same. The threads end before the call returns.
  /// @throws Error usage (the arrays are not queries × k, or the extras not of that length), resources ("PATH: No space
  /// left on device (old file kept)"). Nothing may be written after that, or after the whole result: internal.
  void write(const Neighbors& neighbors, std::string_view meta_json, int threads = 0,
             std::span<const Attribute> extras = {}, std::span<const Attribute> globals = {});

  /// The same of rows that come in blocks; blocks. @throws as write(), what `rows` throws, and usage where the format
  /// cannot hold the ids, or not without all of them in memory (npz to a stream).
  void write(const RowBlocks& rows, std::string_view meta_json, int threads = 0,
             std::span<const Attribute> globals = {});

  /// Lets several processes, this one among them, write the rows into this file at the same time, each its own by a
  /// NeighborPart; blocks. Returns what these need to find their places; nothing where rows have none (text, streams),
  /// or there are none. join() follows once all have written, or write(), if none does.
  /// @throws Error usage (the format cannot hold wide ids), resources.
  std::vector<std::byte> share(std::int64_t queries, std::int64_t k, bool has_wide_ids);

  /// After share(): writes what is not rows; blocks. `parts` are what all NeighborPart::write() have returned, in the
  /// order of their rows. The bytes are those of write() with all rows. False, with nothing done, where the file lacks
  /// what they have written, as file systems lose it that keep a copy per host: write() has to follow.
  /// @throws Error resources, internal (they are not all rows).
  [[nodiscard]] bool join(std::span<const std::vector<std::byte>> parts, std::string_view meta_json, int threads = 0,
                          std::span<const Attribute> globals = {});

  /// Lets write() call `on_progress` with the bytes that are written, write_ahead()'s included, and those of the whole
  /// result, after some megabytes each time, on the thread that calls write(). Of text, the whole is an estimate by the
  /// lines so far.
  void report_progress(std::function<void(std::uint64_t done, std::uint64_t total)> on_progress);

  /// Makes the file visible under its final name(s), on disk; blocks. Of the two files of npy, the ids are absent while
  /// the distances are not those that belong to them, so that a process killed in between leaves no pair that does not
  /// match; the old ones are then in `.NAME.kann-….old`.
  /// @throws Error usage (a file of that name has appeared, without `replace`), resources.
  void commit();

  struct State;  // defined in the source file

 private:
  std::unique_ptr<State> state_;
};

/// Some of the rows of a result that several processes write at the same time.
class NeighborPart {
 public:
  /// Opens the file of NeighborFile::share(), whose return value is `shared`; blocks. Nothing where this process does
  /// not find it, as on a host that does not share the folder, or may not write to it: write() then has to write all
  /// rows. @throws Error internal (`shared` is something else).
  static std::optional<NeighborPart> open(std::span<const std::byte> shared);
  ~NeighborPart();
  NeighborPart(NeighborPart&&) noexcept;
  NeighborPart& operator=(NeighborPart&&) noexcept;

  /// Writes the rows from number `first` on, onto the disk, once; blocks. Calls `on_progress`, which may be empty, with
  /// the bytes of them that are written, and all. Returns what join() takes; it holds less than 128 KiB of each array.
  /// @throws Error usage (no rows of that result), resources (as NeighborFile::write()), and what `rows` throws.
  std::vector<std::byte> write(const RowBlocks& rows, std::int64_t first, int threads = 0,
                               const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {});

  struct State;  // defined in the source file

 private:
  explicit NeighborPart(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Removes the temporary files of every NeighborFile not yet committed. Async-signal-safe: for handlers of SIGINT and
/// SIGTERM that end the process right after it.
void remove_pending_outputs() noexcept;

}  // namespace kann
