// A file that is whole or absent under its final name, whatever happens in between.
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

/// Bytes go to `.<name>.<pid>.<n>.tmp` in the target's folder; publish() renames it. Destroyed earlier, it removes the
/// temporary file.
class AtomicFile final : public OutputFile {
 public:
  /// @param name      what messages call the file
  /// @param target    where it is to appear; not a symbolic link
  /// @param old_mode  permissions of the file that is there now, which the new one takes over
  /// @param replace   whether a file under that name may be replaced
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
  bool keeps_old_;  ///< an old file is there until publish()
  bool replace_;
  std::filesystem::path temporary_;
  std::optional<PendingFile> pending_;  ///< while the temporary file exists
  Descriptor file_{-1};
  std::int64_t size_ = 0;  ///< bytes written
};

/// @throws Error usage: `name` exists, and the user has not said that it may go.
[[noreturn]] void refuse_to_replace(const std::string& name);

}  // namespace kann::io
