// The list of temporary files, for a signal handler that removes them.
#pragma once

#include <string>

namespace kann::formats {

/// Keeps a path in the list: remove_pending_outputs() (kann/io.hpp) removes the file.
class PendingFile {
 public:
  /// Constructed before the file is created, so that no signal arrives in between. Does not return after
  /// remove_pending_outputs(), as the program then ends.
  /// @throws Error resources if too many are pending or the path is too long.
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

 private:
  int slot_;
};

}  // namespace kann::formats
