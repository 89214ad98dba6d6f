// The clouds of bench_recall: made ones, and real ones from files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/points.hpp"

namespace kann::bench {

struct NamedCloud {
  std::string name;
  Points data;
  std::optional<Points> queries;  ///< none: a self-query
};

/// uniform, surface or clusters of 2^log2 points and as many queries.
NamedCloud made_cloud(const std::string& kind, int log2, std::uint64_t seed);

/// A file, queried by itself, or by the points of another. The name is that of the file, without folders; of a pair
/// "DATA from QUERY".
NamedCloud cloud_of_file(const std::string& path);
NamedCloud cloud_of_pair(const std::string& data_path, const std::string& query_path);

}  // namespace kann::bench
