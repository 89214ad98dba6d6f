// Clouds from files, neighbours to files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

enum class PointFormat { ply, text, npy };  // text: XYZ, TXT and CSV; delimiter and header are guessed

/// The format of that name or file extension ("ply", "xyz", "txt", "csv", "npy"; any case, no dot), if there is one.
std::optional<PointFormat> point_format(std::string_view name);

struct Cloud {
  Points points;
  std::vector<std::string> warnings;  ///< one line each, without a prefix
  std::vector<std::string> columns =
      {};  ///< of a text file with a header: the names of the columns that are x, y and z
};

/// Reads a whole cloud; blocks. `path` "-" is standard input, which needs `format`. Without `format` the extension
/// decides, or the content where it is clearly another format (with a warning). Nothing is allocated for counts that a
/// header claims and the file cannot hold. NaN and infinite coordinates are read as they are.
/// @throws Error usage (no format can be told), bad_input ("FILE[:line | @byte B]: what is wrong"), resources.
Cloud read_points(const std::string& path, std::optional<PointFormat> format = std::nullopt);

enum class NeighborFormat { npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin };

/// The format of that name or extension, if there is one.
std::optional<NeighborFormat> neighbor_format(std::string_view name);

/// A result file that is whole or absent under its final name: bytes go to a temporary file in the target folder,
/// then fsync and rename. Opened before the work starts, so that a target that cannot be written fails early.
/// If it is destroyed before `commit()`, the temporary file is removed and an old file stays as it was.
class NeighborFile {
 public:
  /// `path` "-" is standard output. With `replace`, an existing file is replaced at commit().
  /// @throws Error usage (exists and not `replace`), resources (cannot be created).
  NeighborFile(const std::string& path, NeighborFormat format, bool replace);
  ~NeighborFile();
  NeighborFile(NeighborFile&&) noexcept;
  NeighborFile& operator=(NeighborFile&&) noexcept;

  /// Writes all rows; blocks. `meta_json` goes into formats that have a place for it (npz).
  /// @throws Error resources ("PATH: No space left on device (old file kept)").
  void write(const Neighbors& neighbors, std::string_view meta_json);

  /// Makes the file visible under its final name(s). @throws Error resources.
  void commit();

  struct State;  // defined where the formats are written

 private:
  std::unique_ptr<State> state_;
};

/// Removes the temporary files of every NeighborFile not yet committed. Async-signal-safe, for handlers of
/// SIGINT and SIGTERM that end the process right after.
void remove_pending_outputs() noexcept;

}  // namespace kann
