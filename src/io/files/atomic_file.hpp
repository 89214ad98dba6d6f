// A file that is complete or absent under its final name, whatever fails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "io/files/descriptor.hpp"
#include "io/files/output_file.hpp"
#include "io/files/pending_files.hpp"

namespace kann::io {

/// Bytes go to `.<name>.<pid>.<n>.tmp` in the target's folder; publish() renames it. If it is destroyed before,
/// the temporary file is removed.
class AtomicFile final : public OutputFile {
 public:
  /// @param name      the file's name in messages
  /// @param target    the final path; not a symbolic link
  /// @param old_mode  permissions of the existing file, if there is one; the new file gets them
  /// @param replace   whether an existing file may be replaced
  /// @throws Error resources.
  AtomicFile(std::string name, std::filesystem::path target, std::optional<mode_t> old_mode, bool replace);
  ~AtomicFile() override;

  void write(std::span<const std::byte> bytes) override;
  void finish() override;
  void publish() override;
  bool is_stream() const override { return false; }
  const std::string& name() const override { return name_; }

 private:
  void create_temporary();
  void write_large(std::span<const std::byte> bytes);
  void sync_folder() const;
  [[noreturn]] void fail(int error) const;

  std::string name_;
  std::filesystem::path target_;
  bool keeps_old_;  ///< an old file exists until publish()
  bool replace_;
  std::filesystem::path temporary_;
  std::optional<PendingFile> pending_;  ///< while the temporary file exists
  Descriptor file_{-1};
  std::int64_t size_ = 0;  ///< bytes written
};

/// @throws Error usage: the file `name` exists and may not be replaced.
[[noreturn]] void refuse_to_replace(const std::string& name);

}  // namespace kann::io
