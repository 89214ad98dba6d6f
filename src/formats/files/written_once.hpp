// What a file of neighbours and one of a cloud have in common: they are written once, as a whole, and then published.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "formats/files/output_file.hpp"

namespace kann::formats {

class WrittenOnce {
 public:
  explicit WrittenOnce(std::unique_ptr<OutputFile> first) : file(std::move(first)) {}

  /// Calls write(), which writes everything, or what is left. If that throws, nothing more may be written.
  /// @throws Error internal, if everything was written before, or a call has thrown.
  void write_whole(const std::function<void()>& write);

  /// The same, while the files report the progress of both to `on_progress`, on this thread.
  void write_with_progress(const std::function<void()>& write);

  /// Publishes what has been written as a whole. Two names cannot change at once, so the old `file` is removed, then
  /// `second` gets its name, then `file`: whoever sees `file` sees the `second` that belongs to it, whenever the
  /// process is killed. If a step fails after the first, both are absent. Several processes that publish two files to
  /// one folder do so one after the other. Blocks.
  /// @throws OutputExists, OutputNotSynced (both are whole), Error resources, which says what became of the old files;
  ///         internal, if not everything was written.
  void commit();

  std::unique_ptr<OutputFile> file;
  std::unique_ptr<OutputFile> second = nullptr;  ///< null: there is one file
  /// Is called every few megabytes, with the number of bytes written so far, and that of all bytes. May be empty.
  std::function<void(std::uint64_t, std::uint64_t)> on_progress = {};

 private:
  bool is_complete_ = false;  // write() has returned
  bool has_failed_ = false;   // a call has thrown: it is not known how much of it is in the files
};

}  // namespace kann::formats
