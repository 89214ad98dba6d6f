// Patterns of --output and --compare: a path with placeholders for what each job of a batch has of its own.
#pragma once

#include <string>

namespace kann::cli {

/// What stands for the placeholders.
struct PatternValues {
  std::string stem, name;  ///< of the query file: without and with its extension
  std::string data;        ///< of the data file, without its extension
  std::string index;       ///< the job's number, from 1
};

/// Whether {stem}, {name}, {data} or {index} is in it.
bool has_placeholder(const std::string& pattern);

/// Refuses a word in braces that is no placeholder, such as {stm}. A brace without its other half is one of the path.
/// @throws Error usage, with the placeholder that may have been meant.
void check_pattern(const std::string& pattern);

/// The pattern with `values` in the place of its placeholders, and single braces for doubled ones: "{{stem}}" gives
/// "{stem}". What is filled in is not looked at again. @throws Error as check_pattern().
std::string filled_in(const std::string& pattern, const PatternValues& values);

}  // namespace kann::cli
