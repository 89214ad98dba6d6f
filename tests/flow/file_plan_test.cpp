// Searches that are planned in pieces though they fit in memory, and those that are refused where they do not.
#include "flow/file_plan.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "kann/error.hpp"

#include "flow/ranks/threads.hpp"
#include "formats/write_support.hpp"

namespace kann::test {
namespace {

/// A search of a cloud in itself that only writes rows.
flow::FileRequest request_of(flow::Communicator& ranks, const std::string& file, Method method, DeviceKind device) {
  SearchOptions search;
  search.method = method;
  search.device.kind = device;
  return {.ranks = ranks,
          .data = file,
          .query = {},
          .grid_step = {},
          .grid = {},
          .of_data = {},
          .of_query = {},
          .search = search,
          .budget = {},
          .judged = {},
          .only_writes_rows = true,
          .only_in_memory = {},
          .products = {},
          .folder = {}};
}

/// A PLY file of 40,000 float32 points.
std::string put_points(const TemporaryFolder& folder) {
  const std::string file = folder.file("a.ply");
  put_contents(file,
               "ply\nformat binary_little_endian 1.0\nelement vertex 40000\nproperty float x\nproperty float y\n"
               "property float z\nend_header\n" +
                   std::string(480'000, '\0'));
  return file;
}

/// The pieces of a search on a GPU; 0: it is made in memory.
std::int64_t pieces_of(const std::string& file, std::int64_t k, const std::string& only_in_memory = "") {
  flow::Alone alone;
  flow::FileRequest request = request_of(alone, file, Method::exact, DeviceKind::cuda);
  request.search.k = k;
  request.only_in_memory = only_in_memory;
  return flow::outline_search(request).pieces;
}

TEST(FilePlan, ManyRowsOfAGpuAreWrittenInPiecesUnlessOnlyMemoryServes) {
  const TemporaryFolder folder;
  const std::string file = put_points(folder);
  EXPECT_EQ(pieces_of(file, 780), 0);  // 249.6 MB of rows
  EXPECT_EQ(pieces_of(file, 782), 1);
  EXPECT_EQ(pieces_of(file, 782, "--group is"), 0);
}

/// The message with which the plan of a search is refused; empty: there is none, since it is made in memory.
std::string refused(const flow::FileRequest& request, ErrorKind kind) {
  std::string message;
  try {
    EXPECT_FALSE(flow::plan_files(request));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    message = error.what();
  }
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

TEST(FilePlan, ApproximateAnswersAreMadeInMemoryByOneProcess) {
  const TemporaryFolder folder;
  const std::string file = put_points(folder);
  for (const Method method : {Method::shifted_sort, Method::paper}) {
    const std::string name = method == Method::paper ? "--method paper" : "--method shifted-sort";
    const DeviceKind device = method == Method::paper ? DeviceKind::cuda : DeviceKind::cpu;
    flow::Alone alone;
    flow::FileRequest request = request_of(alone, file, method, device);
    EXPECT_EQ(refused(request, ErrorKind::usage), "");
    request.budget = 1e9;
    EXPECT_EQ(refused(request, ErrorKind::usage), "");
    request.budget = 5e6;
    const std::string message = refused(request, ErrorKind::resources);
    EXPECT_TRUE(message.starts_with("host memory: the search needs about ")) << message;
    EXPECT_TRUE(message.ends_with("; " + name + " searches in memory; leave it out for the exact answer")) << message;
    flow::run_on_threads(2, [&](flow::Communicator& own) {
      EXPECT_EQ(refused(request_of(own, file, method, device), ErrorKind::usage),
                "several ranks: " + name + " searches in one process; leave it out for the exact answer");
    });
  }
}

}  // namespace
}  // namespace kann::test
