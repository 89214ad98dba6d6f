// The formats of results: their names, and what each has a place for.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "kann/error.hpp"

#include "base/letter_case.hpp"
#include "formats/neighbors/neighbor_file.hpp"

namespace kann {
namespace formats {
namespace {

struct FormatFacts {
  std::string_view name;
  NeighborFormat format;
  bool holds_wide_ids = false, holds_labels = false, holds_lists = false;
};

constexpr std::array k_formats = {
    FormatFacts{"npz", NeighborFormat::npz, true, true, true},
    FormatFacts{"npy", NeighborFormat::npy, true},
    FormatFacts{"csv", NeighborFormat::csv, true, true, true},
    FormatFacts{"tsv", NeighborFormat::tsv, true, true, true},
    FormatFacts{"bin", NeighborFormat::bin},
    FormatFacts{"ivecs", NeighborFormat::ivecs},
    FormatFacts{"ibin", NeighborFormat::ibin},
    FormatFacts{"fvecs", NeighborFormat::fvecs, true},
    FormatFacts{"fbin", NeighborFormat::fbin, true},
    FormatFacts{"mtx", NeighborFormat::mtx, true, false, true},
};

const FormatFacts& facts_of(NeighborFormat format) {
  return *std::ranges::find(k_formats, format, &FormatFacts::format);
}

}  // namespace

bool holds_labels(NeighborFormat format) { return facts_of(format).holds_labels; }

bool holds_lists(NeighborFormat format) { return facts_of(format).holds_lists; }

void check_holds_ids(NeighborFormat format, bool has_wide_ids, const std::string& name) {
  if (has_wide_ids && !facts_of(format).holds_wide_ids)
    throw Error(ErrorKind::usage, name +
                                      ": this format has ids of 32 bits, which do not hold those of so many points; "
                                      "write npz, npy, csv or tsv");
}

std::string distances_path(const std::string& path) {
  constexpr std::string_view extension = ".npy";
  const bool has_extension =
      path.size() > extension.size() &&
      base::equal_in_any_case(std::string_view(path).substr(path.size() - extension.size()), extension);
  return path.substr(0, path.size() - (has_extension ? extension.size() : 0)) + ".distances.npy";
}

}  // namespace formats

std::optional<NeighborFormat> neighbor_format(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      formats::k_formats, [&](const formats::FormatFacts& facts) { return base::equal_in_any_case(name, facts.name); });
  return found == formats::k_formats.end() ? std::nullopt : std::optional(found->format);
}

}  // namespace kann
