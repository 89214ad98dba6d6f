// Names and locks of temporary files, and the removal of those that a killed run has left.
#pragma once

#include <filesystem>
#include <string_view>

namespace kann::formats {

/// `.<name>.kann-<16 random digits and letters from a to f>.<ending>` in the folder of `target`.
std::filesystem::path temporary_path(const std::filesystem::path& target, std::string_view ending);

/// Whether `name` is one that temporary_path() makes with the ending "tmp".
bool is_temporary_name(std::string_view name);

/// Locks a temporary file that this process has just created, for as long as a copy of `fd` is open, so that no other
/// run removes it. Returns false if another run has removed it already, and true as well on a file system without
/// locks, where nothing is removed.
bool lock_temporary(int fd);

/// Removes the temporary files of killed runs from `folder` ("" is the current one): regular files of this user with
/// such a name that no process has locked. Leaves all where other machines may be writing (NFS and its like), as locks
/// may not reach them. Does nothing for the folder of the call before, and gives up after 100,000 names (25 ms).
void sweep_temporaries(const std::filesystem::path& folder) noexcept;

}  // namespace kann::formats
