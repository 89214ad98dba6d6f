// The options that a TOML file sets (--config). The keys are arguments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kann::cli {

enum class ConfigKind {
  flag,             ///< true or false; false is as if the key were absent
  number,           ///< an integer or a float
  text,             ///< a string
  texts,            ///< a string, or an array of strings
  list,             ///< a string of parts between commas, or an array of them: numbers or strings
  number_or_word,   ///< a number, or a word that stands in the place of one
  optional_number,  ///< a number, a word, or true, which stands for implicit_text
  absent,           ///< an option of the command line alone
};

struct ConfigKey {
  std::string_view name;
  ConfigKind kind;
  std::string_view implicit_text;  ///< what `true` stands for in an optional_number
};

struct ConfigSetting {
  std::size_t key;    ///< index in the keys
  std::string where;  ///< for messages: "kann.toml:3: k"
  std::string text;   ///< the value as the command line would have it; "true" for a flag
};

struct ConfigFile {
  std::vector<ConfigSetting> settings;  ///< in the order of the lines; one per element of an array of texts
  std::string problem;                  ///< the first message about a line; empty: the file is right
};

/// Reads a TOML file; blocks. If there is a problem, the settings of correct lines are still returned, so that the
/// failure can be reported as the file asks.
/// @param known_elsewhere says what an unknown key is called here, or nothing; null: that is not known
/// @throws Error usage (the file cannot be read, is larger than 1 MiB or no TOML), resources.
ConfigFile read_config_file(const std::string& path, std::span<const ConfigKey> keys,
                            std::string (*known_elsewhere)(std::string_view) = nullptr);

}  // namespace kann::cli
