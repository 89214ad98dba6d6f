#include "cli/config/config_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

#include "kann/error.hpp"

#include "base/suggest.hpp"
#include "base/usage_error.hpp"
#include "cli/config/toml.hpp"
#include "formats/files/input.hpp"

namespace kann::cli {
namespace {

constexpr std::size_t k_max_bytes = std::size_t{1} << 20;

/// Reads the file. A fault in a configuration is an error of usage, unlike a fault in a cloud.
std::string content(const std::string& path) try {
  formats::Input input(path);
  const std::string_view text = input.slide(0, k_max_bytes + 1);
  if (text.size() > k_max_bytes) base::fail_usage(path + ": is larger than 1 MiB, which is no configuration");
  return std::string(text);
} catch (const Error& error) {
  if (error.kind() == ErrorKind::bad_input) base::fail_usage(error.what());
  throw;
}

/// The shortest text that reads back as the same number, with a point or an exponent.
std::string float_text(double number) {
  char buffer[32];
  std::string text(buffer, std::to_chars(std::begin(buffer), std::end(buffer), number).ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

/// The value as the command line would have it; none for a table, an array, a date or a time.
std::optional<std::string> toml_text(const toml::node& value) {
  if (const auto* const flag = value.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* const number = value.as_integer()) return std::to_string(number->get());
  if (const auto* const number = value.as_floating_point()) return float_text(number->get());
  if (const auto* const text = value.as_string()) return text->get();
  return std::nullopt;
}

/// Whether an array of the kind may have the element.
bool may_have(ConfigKind kind, const toml::node& element) {
  const auto* const text = element.as_string();
  if (kind == ConfigKind::texts) return text;
  return element.is_number() || (text && !text->get().empty() && text->get().find(',') == std::string::npos);
}

bool is_array_of(ConfigKind kind, const toml::node& value) {
  const auto* const array = value.as_array();
  return array && !array->empty() &&
         std::ranges::all_of(*array, [&](const toml::node& e) { return may_have(kind, e); });
}

/// The elements between commas, as a list on the command line.
std::string joined(const toml::array& parts) {
  std::string text;
  for (const toml::node& part : parts) text += (text.empty() ? "" : ",") + *toml_text(part);
  return text;
}

bool fits(const toml::node& value, ConfigKind kind) {
  switch (kind) {
    case ConfigKind::flag:
      return value.is_boolean();
    case ConfigKind::number:
      return value.is_number();
    case ConfigKind::number_or_word:
      return value.is_number() || value.is_string();
    case ConfigKind::text:
      return value.is_string();
    case ConfigKind::texts:
    case ConfigKind::list:
      return value.is_string() || is_array_of(kind, value);
    case ConfigKind::optional_number:
      return value.is_boolean() || value.is_number() || value.is_string();
    case ConfigKind::absent:
      break;
  }
  return false;
}

std::string_view kind_name(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::flag:
      return "true or false";
    case ConfigKind::number:
      return "a number";
    case ConfigKind::number_or_word:
      return "a number or a string";
    case ConfigKind::text:
      return "a string";
    case ConfigKind::texts:
      return "a string or an array of strings";
    case ConfigKind::list:
      return "a string, or an array of numbers or of strings without commas";
    case ConfigKind::optional_number:
      return "true, false, a number or a string";
    case ConfigKind::absent:
      break;
  }
  return "no value";
}

std::string found_text(const toml::node& value) {
  if (value.is_string()) return "the string '" + *toml_text(value) + "'";
  if (const auto text = toml_text(value)) return *text;
  return value.is_table() ? "a table" : value.is_array() ? "an array" : "a date or a time";
}

/// Describes the value that was found, and what is wrong with an array where the kind takes one.
std::string found_text(const toml::node& value, ConfigKind kind) {
  const auto* const array = value.as_array();
  if (!array || (kind != ConfigKind::texts && kind != ConfigKind::list)) return found_text(value);
  for (const toml::node& element : *array)
    if (!may_have(kind, element)) return "an array with " + found_text(element);
  return "an empty array";
}

std::string unknown_key(std::string_view name, std::span<const ConfigKey> keys, const std::string& elsewhere) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : keys)
    if (key.kind != ConfigKind::absent) names.push_back(key.name);
  const std::string_view nearest = base::nearest_name(name, names);
  return "unknown key '" + std::string(name) + "'; " +
         (!elsewhere.empty() ? elsewhere
          : nearest.empty()  ? "keys are the long names of options, see kann --help"
                             : "did you mean '" + std::string(nearest) + "'?");
}

/// Why a line is wrong; empty if it is right.
std::string problem_of(std::string_view name, const toml::node& value, std::span<const ConfigKey> keys,
                       std::string (*known_elsewhere)(std::string_view)) {
  const auto key = std::ranges::find(keys, name, &ConfigKey::name);
  if (key == keys.end()) return unknown_key(name, keys, known_elsewhere ? known_elsewhere(name) : "");
  if (key->kind == ConfigKind::absent)
    return std::string(name) + " is for the command line alone, not for a configuration";
  if (fits(value, key->kind)) return {};
  return std::string(name) + " expects " + std::string(kind_name(key->kind)) + ", got " + found_text(value, key->kind);
}

toml::table parse(const std::string& text, const std::string& path) try {
  return toml::parse(text);
} catch (const toml::parse_error& error) {
  base::fail_usage(path + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
}

}  // namespace

ConfigFile read_config_file(const std::string& path, std::span<const ConfigKey> keys,
                            std::string (*known_elsewhere)(std::string_view)) {
  const toml::table table = parse(content(path), path);
  struct Line {
    toml::source_position position;
    std::string_view name;
    const toml::node* value;
  };
  std::vector<Line> lines;  // toml++ sorts the settings by key; these keep their order
  for (const auto& [key, value] : table) lines.push_back({key.source().begin, key.str(), &value});
  std::ranges::sort(lines, {}, [](const Line& l) { return std::tuple(l.position.line, l.position.column); });

  ConfigFile file;
  for (const auto& [position, name, value] : lines) {
    const std::string where = path + ":" + std::to_string(position.line) + ": ";
    if (const std::string problem = problem_of(name, *value, keys, known_elsewhere); !problem.empty()) {
      if (file.problem.empty()) file.problem = where + problem;
      continue;
    }
    const auto key = std::ranges::find(keys, name, &ConfigKey::name);
    const auto index = static_cast<std::size_t>(key - keys.begin());
    const auto* const array = value->as_array();
    if (array && key->kind == ConfigKind::list) {
      file.settings.push_back({index, where + std::string(name), joined(*array)});
      continue;
    }
    if (array) {
      for (const toml::node& text : *array)
        file.settings.push_back({index, where + std::string(name), *toml_text(text)});
      continue;
    }
    std::string text = *toml_text(*value);
    if (value->is_boolean() && text == "false") continue;
    if (value->is_boolean() && key->kind == ConfigKind::optional_number) text = key->implicit_text;
    file.settings.push_back({index, where + std::string(name), std::move(text)});
  }
  return file;
}

}  // namespace kann::cli
