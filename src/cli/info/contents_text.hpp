// What kann info prints of a file.
#pragma once

#include <string>

#include "cli/info/cloud_contents.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Some lines about the file and its points, and a table of its columns. They fit in 79 columns of a terminal, unless
/// names or numbers are long.
std::string contents_text(const CloudContents& contents);

/// The same as a JSON object, in one line.
std::string contents_json(const CloudContents& contents);

/// The JSON object of a file that could not be read, in one line.
std::string failure_json(const std::string& path, const Failure& failure);

}  // namespace kann::cli
