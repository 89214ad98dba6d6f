// The clouds of bench_recall: synthetic ones, and real ones from files.
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

/// The cloud uniform, surface or clusters, with 2^log2 points and as many queries.
NamedCloud made_cloud(const std::string& kind, int log2, std::uint64_t seed);

/// A self-query of a file, and a query of one file by another. The name is the name of the file without folders, and of
/// a pair "DATA from QUERY".
NamedCloud cloud_of_file(const std::string& path);
NamedCloud cloud_of_pair(const std::string& data_path, const std::string& query_path);

}  // namespace kann::bench
