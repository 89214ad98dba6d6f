// Recognises the reports of earlier runs.
#pragma once

#include <string>

namespace kann::cli {

/// Whether the file is empty, or one JSON object with the keys and types of report_json(), in any order and spacing; or
/// has such an object in its first line, like the report of a batch.
/// A file of another program that shares some key is not taken for a report.
bool is_empty_or_report(const std::string& path);

/// Whether the file is the report of a run that ended well and wrote the result `output`.
bool is_report_of(const std::string& path, const std::string& output);

}  // namespace kann::cli
