// Whether a folder has space for temporary files.
#pragma once

#include <string>

namespace kann::tiles {

/// Refuses a folder that has not so many bytes free, before work that would fail in its midst. One of which the system
/// does not say it passes. @throws Error resources.
void check_free_space(const std::string& folder, double bytes);

}  // namespace kann::tiles
