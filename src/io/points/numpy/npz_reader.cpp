#include "io/points/numpy/npz_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "kann/error.hpp"

#include "io/files/refusal.hpp"
#include "io/points/numpy/npy_layout.hpp"
#include "io/points/numpy/npy_reader.hpp"
#include "io/points/table/attributes.hpp"
#include "io/points/table/axes.hpp"
#include "io/points/table/expansion.hpp"
#include "io/points/table/lists.hpp"
#include "io/zip/zip_archive.hpp"

namespace kann::io {
namespace {

constexpr std::string_view k_suffix = ".npy";

class NpzReader {
 public:
  NpzReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : bytes_(bytes), file_(file), options_(options), columns_(options.columns), members_(zip_members(bytes, file)) {
    std::erase_if(members_, [](const ZipMember& member) { return !member.name.ends_with(k_suffix); });
    for (const ZipMember& member : members_)
      names_.push_back(std::string_view(member.name).substr(0, member.name.size() - k_suffix.size()));
  }

  Cloud read() {
    if (names_.empty()) refuse(file_, "no array in the archive (need a member NAME.npy)");
    if (find("ids") && find("distances")) refuse(file_, "this is a result of kann (ids and distances), not a cloud");
    if (const auto array = find("points")) return read_array(*array);
    if (const auto array = find("xyz")) return read_array(*array);
    if (names_.size() == 1) return read_array(0);
    return read_array(only_cloud());
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? std::nullopt : std::optional<std::size_t>(found - names_.begin());
  }

  std::string name_of(std::size_t array) const { return fmt::format("{}[{}]", file_, excerpt(names_[array])); }

  /// The bytes of the array file, after the memory for them has been checked. What was read before counts, too: many
  /// members may lie at the same place in the archive.
  std::string_view content(std::size_t array) {
    const ZipMember& member = members_[array];
    const std::string_view stored = stored_bytes(bytes_, member, file_);
    content_bytes_ += member.size;
    check_expansion(file_, bytes_.size(), content_bytes_);
    room_ = {};
    return content_of(member, stored, room_, file_);
  }

  Cloud read_array(std::size_t array) {
    content_bytes_ = 0;
    const std::string_view npy = content(array);
    const NpyLayout layout = parse_npy_layout(npy, name_of(array), columns_);
    if (layout.bytes <= npy.size())  // else read_npy() refuses it
      check_expansion(file_, bytes_.size(), WideSize{room_.size()} + memory_of(layout) + attribute_memory_of(layout));
    return read_npy(npy, name_of(array), options_);
  }

  /// At most: as if all fields were attributes.
  WideSize attribute_memory_of(const NpyLayout& layout) const {
    return wants_attributes(options_) && !layout.fields.empty() ? layout.bytes : 0;
  }

  static WideSize memory_of(const NpyLayout& layout) {
    const bool narrow = std::ranges::all_of(layout.axes, [](const NpyAxis& axis) { return fits_float32(axis.type); });
    return WideSize{layout.rows} * layout.axes.size() * (narrow ? sizeof(float) : sizeof(double));
  }

  bool is_cloud(std::size_t array) {
    const std::string_view npy = content(array);
    try {
      parse_npy_layout(npy, name_of(array), columns_);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  std::size_t only_cloud() {
    std::vector<std::string_view> clouds;
    std::size_t last = 0;
    for (std::size_t array = 0; array < names_.size(); ++array)
      if (is_cloud(array)) {
        clouds.push_back(names_[array]);
        last = array;
      }
    if (clouds.empty())
      refuse(file_, fmt::format("no array is float32 or float64 of shape (n, 2) or (n, 3){}: {}",
                                columns_.empty() ? "" : " or has the columns", list_of(names_)));
    if (clouds.size() > 1)
      refuse(file_,
             fmt::format("{} arrays can be the points: {}; call one of them points", clouds.size(), list_of(clouds)));
    return last;
  }

  const std::string_view bytes_;
  const std::string& file_;
  const ReadOptions& options_;
  const std::span<const std::string> columns_;
  std::vector<ZipMember> members_;
  std::vector<std::string_view> names_;  // of the arrays, without .npy
  Array<char> room_;
  WideSize content_bytes_ = 0;
};

}  // namespace

Cloud read_npz(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  return NpzReader(bytes, file, options).read();
}

}  // namespace kann::io
