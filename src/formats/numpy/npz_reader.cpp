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
#include "formats/table/layouts.hpp"
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

  /// The only candidate that is a cloud with these columns, by its header; content_of(array) returns its file. An array
  /// of whole numbers (of faces, say) counts as a cloud only if no other array is one.
  template <class ContentOf>
  std::size_t only_cloud(const std::vector<std::size_t>& candidates, const ReadRequest& options,
                         ContentOf&& content_of) const {
    if (candidates.size() == 1) return candidates[0];
    std::vector<std::size_t> clouds, of_integers;
    for (const std::size_t array : candidates) {
      const NpyFile content = content_of(array);
      try {
        const NpyLayout layout = parse_npy_layout(content, options);
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

/// Bytes of the rows of an array in memory: the coordinates and the attributes.
WideSize memory_of(const RowLayout& layout) {
  std::size_t bytes = 0;
  const bool narrow = std::ranges::all_of(layout.axes, [](const RowField& axis) { return fits_float32(axis.type); });
  bytes += layout.axes.size() * (narrow ? sizeof(float) : sizeof(double));
  for (const RowField& field : layout.fields)
    bytes += field.type == ScalarType::float16 ? sizeof(float) : size_of(field.type);
  return WideSize{layout.rows.rows} * bytes;
}

class NpzReader {
 public:
  NpzReader(std::shared_ptr<Input> input, const ReadRequest& options)
      : input_(std::move(input)),
        options_(options),
        bytes_(*input_),
        arrays_(zip_members(bytes_, input_->name()), input_->name()),
        candidates_(arrays_.candidates()) {}

  /// What the directory says: how long arrays are, but not what they hold. float32 takes most memory for the same
  /// bytes.
  RowLayout estimate() const {
    RowLayout layout{.input = input_, .is_estimate = true};
    std::uint64_t bytes = 0, decompressed = 0;
    for (const std::size_t array : candidates_) {
      const std::uint64_t most = is_compressed(array) ? most_expanded(bytes_.size()) : bytes_.size();
      const std::uint64_t content = std::min(arrays_.member(array).size, most);
      bytes = std::max(bytes, content);
      if (is_compressed(array)) decompressed = std::max(decompressed, content);
    }
    layout.rows.rows = bytes / (3 * sizeof(float));
    layout.axes.resize(3);
    if (decompressed == 0) return layout;
    layout.obstacle = "a compressed array";
    layout.held_bytes = static_cast<double>(bytes_.size() + decompressed);
    return layout;
  }

  RowLayout layout() {
    const std::size_t array =
        arrays_.only_cloud(candidates_, options_, [&](std::size_t candidate) { return content(candidate); });
    content_bytes_ = 0;
    const NpyFile file = content(array);
    RowLayout layout = npy_layout(file, options_);
    if (is_compressed(array)) check_expansion(input_->name(), bytes_.size(), file.size + memory_of(layout));
    return layout;
  }

 private:
  bool is_compressed(std::size_t array) const { return arrays_.member(array).method == 8; }

  /// The array file: where the archive has it, after its checksum has been checked, or decompressed, after the memory
  /// for it has been. What was read before counts, too: many members may lie at the same place in the archive.
  NpyFile content(std::size_t array) {
    const ZipMember& member = arrays_.member(array);
    const std::string &file = input_->name(), name = arrays_.name_of(array);
    const std::uint64_t begin = stored_begin(bytes_, member, file);
    content_bytes_ += member.size;
    if (!is_compressed(array)) {
      check_expansion_ratio(file, bytes_.size(), content_bytes_);
      check_stored_content(bytes_, begin, member, file);
      return {input_, begin, member.size, name};
    }
    check_expansion(file, bytes_.size(), content_bytes_);
    auto content = std::make_shared<Input>(name, decompressed_content(bytes_, begin, member, file));
    input_->progress().set(begin + member.compressed);
    return {std::move(content), 0, member.size, name};
  }

  const std::shared_ptr<Input> input_;
  const ReadRequest options_;
  BytesInFile bytes_;
  const NpzArrays arrays_;
  const std::vector<std::size_t> candidates_;
  WideSize content_bytes_ = 0;
};

}  // namespace

RowLayout npz_layout(std::shared_ptr<Input> input, const ReadRequest& options) {
  input->total_size();
  const auto reader = std::make_shared<NpzReader>(std::move(input), options);
  RowLayout layout = reader->estimate();
  layout.locate = [reader](RowLayout& to) { to = reader->layout(); };
  return layout;
}

}  // namespace kann::formats
