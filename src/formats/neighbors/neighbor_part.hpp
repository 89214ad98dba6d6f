// Some of the rows of a result that several processes write at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/shared_file.hpp"
#include "formats/neighbors/shared_result.hpp"

namespace kann::formats {

class NeighborPart {
 public:
  /// Opens the file of share(), whose return value is `shared`; blocks. Returns nothing if this process does not find
  /// the file, as on a host that does not share the folder, or may not write to it: NeighborFile::write() then has to
  /// write all rows. @throws Error internal (`shared` is something else).
  static std::optional<NeighborPart> open(std::span<const std::byte> shared);

  /// Writes the rows from number `first` on and flushes them to the disk; to be called once; blocks. Calls
  /// `on_progress`, which may be empty, with the number of bytes of these rows written so far, and of all of them.
  /// Returns what join() takes, which holds less than 128 KiB of each array.
  /// @throws Error usage (no rows of that result), resources (as NeighborFile::write()), and what `rows` throws.
  std::vector<std::byte> write(const RowBlocks& rows, std::int64_t first, int threads = 0,
                               const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {});

  /// All rows of the result, once join() has finished it: they are read from its file, which need not have its name
  /// yet, on up to `threads` threads, up to `bytes` at a time. Statistics look at the ids of infinite distances alone:
  /// a block without these has no ids. This object must outlive the rows, which throw Error resources when the file
  /// cannot be read. @pre keeps_rows() of the format, and the ids are not wide.
  RowBlocks written_rows(double bytes, int threads) const;

 private:
  explicit NeighborPart(SharedResult result) : result_(std::move(result)) {}

  SharedResult result_;
  std::vector<SharedFileWriter> files_;  // for npy, the second one has the distances; none once they are written
};

}  // namespace kann::formats
