// The list of temporary files, for a signal handler that removes them.
#pragma once

#include <string>

namespace kann::formats {

/// Keeps a path in the list: remove_pending_outputs() (kann/io.hpp) removes the file.
class PendingFile {
 public:
  /// Constructed before the file is created, so that no signal arrives in between.
  /// @throws Error resources if too many are pending or the path is too long.
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

 private:
  int slot_;
};

/// Kept while a temporary file is created: from its entry in the list until it exists.
class FileCreation {
 public:
  /// Does not return after stop_file_creation().
  FileCreation() noexcept;
  ~FileCreation();
  FileCreation(const FileCreation&) = delete;
  FileCreation& operator=(const FileCreation&) = delete;
};

/// How many files remove_pending_outputs() has removed.
int removed_outputs() noexcept;

/// For a thread that ends the process: from now on no other thread creates a temporary file, so that none appears after
/// remove_pending_outputs(). Waits for those being created, 0.1 s at most.
void stop_file_creation() noexcept;

}  // namespace kann::formats
