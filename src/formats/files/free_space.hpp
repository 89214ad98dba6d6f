// Whether a folder has room for files, before work that would fail in its midst.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kann::formats {

/// Bytes that are free in a folder ("": the current one); none if the system does not say.
std::optional<double> free_bytes(const std::filesystem::path& folder);

/// Whether files in both folders take the same space.
bool are_on_one_disk(const std::filesystem::path& a, const std::filesystem::path& b);

/// Refuses a folder for temporary files that has not so many bytes free. A folder passes whose free space the system
/// does not tell. @throws Error resources.
void check_free_space(const std::string& folder, double bytes);

}  // namespace kann::formats
