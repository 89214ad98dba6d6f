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

using Reader = Neighbors (*)(std::string_view bytes, const std::string& file);

/// Null for other extensions.
Reader reader_of(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (extension == ".npz") return io::read_npz;
  if (extension == ".npy") return io::read_ids_npy;
  if (extension == ".bin") return io::read_bin;
  if (extension == ".ibin") return io::read_ibin;
  if (extension == ".ivecs") return io::read_ivecs;
  return nullptr;
}

}  // namespace

bool can_read_neighbors(std::string_view path) { return reader_of(path) != nullptr; }

Neighbors read_neighbors(const std::string& path) {
  const Reader read = reader_of(path);
  if (!read)
    throw Error(ErrorKind::usage, path + ": unknown format of neighbours (need .npz, .npy, .bin, .ibin or .ivecs)");
  io::Input input(path);
  const std::string_view bytes = input.read_all();
  io::check_large_allocation(static_cast<double>(bytes.size()), input.name());
  return read(bytes, input.name());
}

}  // namespace kann
