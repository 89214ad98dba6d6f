// The temporary files that exist right now, where a signal handler can find them.
#pragma once

#include <string>

namespace kann::io {

/// While it lives, remove_pending_outputs() (kann/io.hpp) removes the file at `path`.
class PendingFile {
 public:
  /// The file need not exist yet: announced before it is created, no signal falls between.
  /// @throws Error resources when too many are pending or the path is too long.
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

 private:
  int slot_;
};

}  // namespace kann::io
