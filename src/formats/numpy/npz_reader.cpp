#include "formats/numpy/npz_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "formats/files/byte_source.hpp"
#include "formats/files/refusal.hpp"
#include "formats/numpy/npy_layout.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/expansion.hpp"
#include "formats/table/lists.hpp"
#include "formats/zip/zip_archive.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_suffix = ".npy";

/// The arrays of an archive.
class NpzArrays {
 public:
  NpzArrays(std::vector<ZipMember> members, const std::string& file) : file_(file), members_(std::move(members)) {
    std::erase_if(members_, [](const ZipMember& member) { return !member.name.ends_with(k_suffix); });
    for (const ZipMember& member : members_)
      names_.push_back(std::string_view(member.name).substr(0, member.name.size() - k_suffix.size()));
    std::vector<std::string_view> sorted = names_;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      refuse(file_, fmt::format("member {} is twice in the archive", quote(fmt::format("{}{}", *twice, k_suffix))));
  }

  const ZipMember& member(std::size_t array) const { return members_[array]; }
  std::string name_of(std::size_t array) const { return fmt::format("{}[{}]", file_, excerpt(names_[array])); }

  /// The arrays that may be the points: one if its name says so, else all.
  std::vector<std::size_t> candidates() const {
    if (names_.empty()) refuse(file_, "no array in the archive (need a member NAME.npy)");
    if (find("ids") && find("distances"))
      refuse(file_, "this is a result of kann (ids and distances), not a cloud; kann check judges it");
    if (const auto array = find("points")) return {*array};
    if (const auto array = find("xyz")) return {*array};
    std::vector<std::size_t> all(names_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// The only candidate that is a cloud with these columns, by its header; front_of(array) returns the bytes of that.
  /// An array of whole numbers (of faces, say) counts as a cloud only if no other array is one.
  template <class FrontOf>
  std::size_t only_cloud(const std::vector<std::size_t>& candidates, const ReadOptions& options,
                         FrontOf&& front_of) const {
    if (candidates.size() == 1) return candidates[0];
    std::vector<std::size_t> clouds, of_integers;
    for (const std::size_t array : candidates) {
      const auto front = front_of(array);
      try {
        const NpyLayout layout = parse_npy_layout(front, name_of(array), options);
        const bool is_integers = layout.fields.empty() && is_integer(layout.axes[0].type);
        (is_integers ? of_integers : clouds).push_back(array);
      } catch (const Error&) {
        continue;
      }
    }
    if (clouds.empty()) clouds = std::move(of_integers);
    if (clouds.empty())
      refuse(file_, fmt::format("no array has numbers and the shape (n, 2) or (n, 3){}: {}",
                                options.columns.empty() ? "" : ", or the columns", list_of(names_)));
    if (clouds.size() == 1) return clouds[0];
    std::vector<std::string_view> names;
    for (const std::size_t array : clouds) names.push_back(names_[array]);
    refuse(file_,
           fmt::format("{} arrays can be the points: {}; call one of them points", names.size(), list_of(names)));
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? std::nullopt : std::optional<std::size_t>(found - names_.begin());
  }

  const std::string& file_;
  std::vector<ZipMember> members_;
  std::vector<std::string_view> names_;  // names of the arrays, without .npy
};

class NpzReader {
 public:
  NpzReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : bytes_(bytes), file_(file), options_(options), arrays_(zip_members(bytes, file), file) {}

  Cloud read() {
    return read_array(
        arrays_.only_cloud(arrays_.candidates(), options_, [&](std::size_t array) { return content(array); }));
  }

 private:
  /// The bytes of the array file, after the memory for them has been checked. What was read before counts, too: many
  /// members may lie at the same place in the archive.
  std::string_view content(std::size_t array) {
    const ZipMember& member = arrays_.member(array);
    const std::string_view stored = stored_bytes(bytes_, member, file_);
    content_bytes_ += member.size;
    check_expansion(file_, bytes_.size(), content_bytes_);
    room_ = {};
    return content_of(member, stored, room_, file_);
  }

  Cloud read_array(std::size_t array) {
    content_bytes_ = 0;
    const std::string_view npy = content(array);
    const std::string name = arrays_.name_of(array);
    const NpyLayout layout = parse_npy_layout(npy, name, options_);
    if (layout.bytes <= npy.size())  // else read_npy() refuses it
      check_expansion(file_, bytes_.size(), WideSize{room_.size()} + memory_of(layout) + attribute_memory_of(layout));
    return read_npy(npy, name, options_);
  }

  /// An upper bound: the memory if all fields are attributes.
  WideSize attribute_memory_of(const NpyLayout& layout) const {
    constexpr unsigned wider = 2;  // float16 becomes float32
    return wants_attributes(options_) && !layout.fields.empty() ? wider * layout.bytes : 0;
  }

  static WideSize memory_of(const NpyLayout& layout) {
    const bool narrow = std::ranges::all_of(layout.axes, [](const NpyAxis& axis) { return fits_float32(axis.type); });
    return WideSize{layout.rows} * layout.axes.size() * (narrow ? sizeof(float) : sizeof(double));
  }

  const std::string_view bytes_;
  const std::string& file_;
  const ReadOptions& options_;
  const NpzArrays arrays_;
  Array<char> room_;
  WideSize content_bytes_ = 0;
};

}  // namespace

RowCloud npz_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const std::string& file = input->name();
  BytesInFile bytes(*input);
  const NpzArrays arrays(zip_members(bytes, file), file);
  const std::vector<std::size_t> candidates = arrays.candidates();
  if (std::ranges::any_of(candidates, [&](std::size_t array) { return arrays.member(array).method == 8; }))
    return {.obstacle = "a compressed array"};
  WideSize content = 0;
  std::uint64_t begin = 0;
  const auto front_of = [&](std::size_t array) {
    const ZipMember& member = arrays.member(array);
    begin = stored_begin(bytes, member, file);
    content += member.size;
    check_expansion_ratio(file, bytes.size(), content);
    check_stored_content(bytes, begin, member, file);
    return npy_front(*input, begin, member.size);
  };
  const std::size_t array = arrays.only_cloud(candidates, options, front_of);
  content = 0;
  const std::string front = front_of(array), name = arrays.name_of(array);
  const NpyLayout found = parse_npy_layout(front, name, options);
  if (found.may_be_inexact()) return {.obstacle = std::string(k_wide_integers)};
  RowLayout layout = npy_layout(found, options, begin, arrays.member(array).size, name);
  return row_cloud(std::move(input), std::move(layout), options.threads);
}

NpzSize npz_size(const Input& input) {
  BytesInFile bytes(input);
  const NpzArrays arrays(zip_members(bytes, input.name()), input.name());
  NpzSize size;
  for (const std::size_t array : arrays.candidates()) {
    const ZipMember& member = arrays.member(array);
    const std::uint64_t content = std::min(member.size, most_expanded(bytes.size()));
    size.array = std::max(size.array, content);
    if (member.method == 8) size.decompressed = std::max(size.decompressed, content);
  }
  return size;
}

Cloud read_npz(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  return NpzReader(bytes, file, options).read();
}

}  // namespace kann::formats
