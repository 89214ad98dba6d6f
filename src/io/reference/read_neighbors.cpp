// kann::read_neighbors(): the extension decides which reader.
#include <algorithm>
#include <filesystem>
#include <string>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "io/files/input.hpp"
#include "io/reference/readers.hpp"

namespace kann {
namespace {

using Reader = Neighbors (*)(std::string_view bytes, const std::string& file, std::string* meta);

/// The Reader of a format that has no meta text.
template <Neighbors read(std::string_view, const std::string&)>
Neighbors without_meta(std::string_view bytes, const std::string& file, std::string* meta) {
  if (meta) meta->clear();
  return read(bytes, file);
}

/// The reader for the path's extension; null if there is none.
Reader reader_of(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (extension == ".npz") return io::read_npz;
  if (extension == ".npy") return without_meta<io::read_ids_npy>;
  if (extension == ".bin") return without_meta<io::read_bin>;
  if (extension == ".ibin") return without_meta<io::read_ibin>;
  if (extension == ".ivecs") return without_meta<io::read_ivecs>;
  return nullptr;
}

}  // namespace

bool can_read_neighbors(std::string_view path) { return reader_of(path) != nullptr; }

Neighbors read_neighbors(const std::string& path, std::string* meta) {
  const Reader read = reader_of(path);
  if (!read)
    throw Error(ErrorKind::usage, path + ": unknown format of neighbours (need .npz, .npy, .bin, .ibin or .ivecs)");
  io::Input input(path);
  const std::string_view bytes = input.read_all();
  io::check_large_allocation(static_cast<double>(bytes.size()), input.name());
  return read(bytes, input.name(), meta);
}

}  // namespace kann
