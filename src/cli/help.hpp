// What --help and --version print.
#pragma once

#include <string>

namespace kann::cli {

/// Three examples, then every option of the table by group; no line is wider than 80 columns.
std::string help_text();

/// Version and commit, and whether this build can use CUDA device 0.
std::string version_text();

}  // namespace kann::cli
