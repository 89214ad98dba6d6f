// A file that is complete or absent under its final name, whatever fails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"
#include "formats/files/pending_files.hpp"

namespace kann::formats {

/// Bytes go to a temporary file in the target's folder (temporary_files.hpp), which publish() renames. If the object is
/// destroyed before that, the temporary file is removed.
class AtomicFile final : public OutputFile {
 public:
  /// Also sweeps the folder of the temporary files of killed runs.
  /// @param name          the file's name in messages
  /// @param target        the final path; not a symbolic link
  /// @param old_mode      permissions of the existing file, if there is one; the new file gets them
  /// @param replace       whether an existing file may be replaced
  /// @throws Error resources.
  AtomicFile(std::string name, std::filesystem::path target, std::optional<mode_t> old_mode, bool replace);
  ~AtomicFile() override;

  void write(std::span<const std::byte> bytes) override;
  bool can_overwrite() const override { return true; }
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::uint64_t skip(std::uint64_t size) override;
  std::string written_path() const override { return temporary_.string(); }
  void finish() override;
  void publish() override;
  bool is_stream() const override { return false; }
  const std::string& name() const override { return name_; }

  // The parts of publish(), for WrittenOnce.

  /// Renames the temporary file to the target. @throws OutputExists, Error resources.
  void rename_to_target();

  /// Removes an existing target, if it may be replaced, from the medium, too: until the folder is synced, a power
  /// failure may undo changes of names in any order. @throws Error resources.
  void remove_old();

  /// Undoes rename_to_target().
  void remove_target() noexcept;

  std::filesystem::path folder() const { return target_.parent_path(); }

 private:
  enum class Old { none, kept, removed };
  void create_temporary();
  void reserve(std::uint64_t offset, std::size_t bytes);
  int sync_folder() const;
  [[noreturn]] void fail(int error) const;

  std::string name_;
  std::filesystem::path target_;
  Old old_;  ///< what became of the old file
  bool replace_;
  std::filesystem::path temporary_;
  std::optional<PendingFile> pending_;  ///< set while the temporary file exists
  Descriptor file_{-1};
  Descriptor lock_{-1};       ///< a copy of file_, which holds the lock between finish() and publish()
  std::int64_t size_ = 0;     ///< bytes written
  std::int64_t started_ = 0;  ///< how many of them the disk was told to start on
};

/// @throws OutputExists for the file `name`.
[[noreturn]] void refuse_to_replace(const std::string& name);

/// @throws OutputNotSynced for the file `name`.
[[noreturn]] void report_not_synced(const std::string& name, int error);

}  // namespace kann::formats
