// Whether files can be made in a folder, and have room, before work that would fail in its midst.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kann::formats {

/// Bytes that are free in a folder ("": the current one); none if the system does not say.
std::optional<double> free_bytes(const std::filesystem::path& folder);

/// What is in the way of a new file in a folder ("": the current one): a number of errno, or 0.
int obstacle_to_files(const std::filesystem::path& folder);

/// Whether files in both folders take the same space.
bool are_on_one_disk(const std::filesystem::path& a, const std::filesystem::path& b);

/// Refuses a folder for temporary files in which none can be made, or that has not so many bytes free. A folder passes
/// whose free space the system does not tell. @throws Error resources.
void check_temporary_folder(const std::string& folder, double bytes);

}  // namespace kann::formats
