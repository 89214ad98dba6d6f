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
  bool is_text = false, has_both = true;  // ids and distances
  bool holds_wide_ids = true, holds_lists = false;
};

constexpr std::array k_formats = {
    FormatFacts{.name = "npz", .format = NeighborFormat::npz, .holds_lists = true},
    FormatFacts{.name = "npy", .format = NeighborFormat::npy},
    FormatFacts{.name = "csv", .format = NeighborFormat::csv, .is_text = true, .holds_lists = true},
    FormatFacts{.name = "tsv", .format = NeighborFormat::tsv, .is_text = true, .holds_lists = true},
    FormatFacts{.name = "bin", .format = NeighborFormat::bin, .holds_wide_ids = false},
    FormatFacts{.name = "ivecs", .format = NeighborFormat::ivecs, .has_both = false, .holds_wide_ids = false},
    FormatFacts{.name = "ibin", .format = NeighborFormat::ibin, .has_both = false, .holds_wide_ids = false},
    FormatFacts{.name = "fvecs", .format = NeighborFormat::fvecs, .has_both = false},
    FormatFacts{.name = "fbin", .format = NeighborFormat::fbin, .has_both = false},
    FormatFacts{.name = "mtx", .format = NeighborFormat::mtx, .is_text = true, .holds_lists = true},
};

const FormatFacts& facts_of(NeighborFormat format) {
  return *std::ranges::find(k_formats, format, &FormatFacts::format);
}

}  // namespace

bool holds_lists(NeighborFormat format) { return facts_of(format).holds_lists; }

bool has_places_of_rows(NeighborFormat format) { return !facts_of(format).is_text; }

bool keeps_rows(NeighborFormat format) { return has_places_of_rows(format) && facts_of(format).has_both; }

void check_holds(NeighborFormat format, const RowBlocks& rows, const std::string& name) {
  const auto refuse = [&](std::string_view what) { throw Error(ErrorKind::usage, name + ": " + std::string(what)); };
  const FormatFacts& facts = facts_of(format);
  if (rows.has_wide_ids && !facts.holds_wide_ids)
    refuse("this format has ids of 32 bits, which do not hold those of so many points; write npz, npy, csv or tsv");
  if (rows.lists && !facts.holds_lists) refuse("has no place for rows of any length; write .npz, .csv, .tsv or .mtx");
  if (!rows.for_each && format != NeighborFormat::npz) refuse("has no place for labels; write .npz");
  if (!rows.lists && format == NeighborFormat::mtx)
    refuse("a matrix has rows of any length (--k all); write npz or csv");
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
