#include "recall_clouds.hpp"

#include <filesystem>

#include "kann/io.hpp"

#include "common/made_clouds.hpp"

namespace kann::bench {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

NamedCloud made_cloud(const std::string& kind, int log2, std::uint64_t seed) {
  const std::int64_t n = std::int64_t{1} << log2;
  return {kind, make_cloud(kind, n, seed), make_cloud(kind, n, seed, Role::queries)};
}

NamedCloud cloud_of_file(const std::string& path) { return {name_of(path), read_points(path).points, std::nullopt}; }

NamedCloud cloud_of_pair(const std::string& data_path, const std::string& query_path) {
  return {name_of(data_path) + " from " + name_of(query_path), read_points(data_path).points,
          read_points(query_path).points};
}

}  // namespace kann::bench
