// The default path of the result, and its format from the extension.
#include "cli/options/output_path.hpp"

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

std::string chosen(const std::string& data, std::optional<std::string> query, const std::string& format = "") {
  Options options;
  options.data = data;
  options.query = std::move(query);
  if (!format.empty()) {
    options.output_format = neighbor_format(format);
    options.output_extension = format;
  }
  choose_output(options, 1);
  EXPECT_TRUE(options.output_format.has_value());
  return options.output;
}

TEST(ChooseOutput, NamesTheResultAfterTheQueries) {
  EXPECT_EQ(chosen("pts.ply", "q.ply"), "q.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "/some/where/q.xyz"), "q.knn.npz");
  EXPECT_EQ(chosen("dir/pts.ply", std::nullopt), "pts.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "q.v2.ply"), "q.v2.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "-"), "stdin.knn.npz");
  EXPECT_EQ(chosen("-", std::nullopt), "stdin.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "-", "csv"), "stdin.knn.csv");
}

TEST(ChooseOutput, TakesTheFormatFromTheExtension) {
  for (const auto& [name, format] : {std::pair{"a.npz", NeighborFormat::npz},
                                     {"a.NPY", NeighborFormat::npy},
                                     {"a.b/c.csv", NeighborFormat::csv},
                                     {"a.tsv", NeighborFormat::tsv},
                                     {"a.bin", NeighborFormat::bin},
                                     {"a.ivecs", NeighborFormat::ivecs},
                                     {"a.ibin", NeighborFormat::ibin},
                                     {"a.fvecs", NeighborFormat::fvecs},
                                     {"a.fbin", NeighborFormat::fbin}}) {
    Options options;
    options.data = "pts.ply";
    options.output = name;
    choose_output(options, 1);
    EXPECT_EQ(options.output_format, format) << name;
  }
}

}  // namespace
}  // namespace kann::cli
