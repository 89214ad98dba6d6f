// Patterns of --output and --compare: a path with placeholders for what differs between the jobs of a batch.
#pragma once

#include <string>

namespace kann::cli {

/// The values that replace the placeholders.
struct PatternValues {
  std::string stem, name;  ///< file name of the queries, without and with its extension
  std::string data;        ///< file name of the data, without its extension
  std::string index;       ///< the job's number, from 1
};

/// Whether the pattern has {stem}, {name}, {data} or {index} in it.
bool has_placeholder(const std::string& pattern);

/// Refuses a word in braces that is no placeholder, such as {stm}. An unmatched brace is part of the path.
/// @throws Error usage, with the placeholder that may have been meant.
void check_pattern(const std::string& pattern);

/// The pattern with its placeholders replaced by `values`, and doubled braces by single ones: "{{stem}}" gives
/// "{stem}". Braces in the values are left alone. @throws Error as check_pattern().
std::string filled_in(const std::string& pattern, const PatternValues& values);

}  // namespace kann::cli
