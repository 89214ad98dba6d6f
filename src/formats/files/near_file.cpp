#include "formats/files/near_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/suggest.hpp"

namespace kann::formats {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string_view stem_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return name.substr(0, dot == 0 ? name.size() : dot);
}

/// 0 for the same stem, else the edit distance; none if the names are too far apart. Both are in lower case.
std::optional<int> distance(std::string_view typed, std::string_view name) {
  const std::string_view stem = stem_of(typed);
  if (stem == stem_of(name)) return 0;
  const std::size_t limit = stem.size() / 3;
  const std::size_t difference = std::max(typed.size(), name.size()) - std::min(typed.size(), name.size());
  if (difference > limit) return std::nullopt;  // a lower bound of the distance, at less cost
  const int edits = base::edit_distance(typed, name);
  return static_cast<std::size_t>(edits) <= limit ? std::optional(edits) : std::nullopt;
}

}  // namespace

std::string near_file(const std::string& path, int max_entries) {
  const fs::path wanted(path);
  const fs::path folder = wanted.parent_path();
  const std::string typed = lower(wanted.filename().string());
  if (typed.empty() || typed.starts_with('.')) return {};

  std::optional<std::pair<int, std::string>> nearest;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (int count = 0; !error && entry != fs::directory_iterator() && count < max_entries;
       entry.increment(error), ++count) {
    std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || !entry->exists(ignored) || entry->is_directory(ignored)) continue;
    if (const auto edits = distance(typed, lower(name))) {
      std::pair candidate(*edits, std::move(name));
      if (!nearest || candidate < *nearest) nearest = std::move(candidate);
    }
  }
  return nearest ? (folder / nearest->second).string() : std::string();
}

std::string files_in(const std::string& folder) {
  constexpr int most = 10'000;
  std::map<std::string, int> counts;  // by extension
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (int i = 0; !error && entry != fs::directory_iterator() && i < most; entry.increment(error), ++i) {
    std::error_code ignored;
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    if (!is_hidden && entry->path().has_extension() && entry->is_regular_file(ignored))
      ++counts[entry->path().extension().string()];
  }
  if (counts.empty()) return "";
  const auto common = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return (fs::path(folder) / ("*" + common->first)).string();
}

}  // namespace kann::formats
