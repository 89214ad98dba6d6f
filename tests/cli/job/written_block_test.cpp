// The points and attributes of a written cloud: names, points that are left out, and that blocks make the whole.
#include "cli/job/written_block.hpp"

#include <memory>

#include "formats/clouds/clouds_support.hpp"

namespace kann::cli {

using namespace test;

namespace {

using Flags = std::vector<std::uint8_t>;

Cloud queries() {
  Cloud cloud;
  cloud.points = {2, Array<float>{0, 1, 2, 3, 4, 5}};
  for (const char* const name : {"nn_id", "a", "query_nn_id", "read_besides"})
    cloud.attributes.push_back(attribute(name, Array<std::uint8_t>{6, 7, 8}));
  cloud.asked_besides = 1;
  return cloud;
}

const std::vector<Attribute> k_columns = {attribute("nn_id", Array<std::int32_t>{10, 11, 12})};

std::vector<std::string> attributes_of(const WrittenBlock& block) {
  const CloudBlock view = block.view();
  return described(std::vector<Attribute>(view.attributes.begin(), view.attributes.end()));
}

TEST(WrittenBlocks, HaveOwnAttributesAndColumns) {
  const Cloud cloud = queries();
  for (const Flags& none : {Flags(), Flags{1, 1, 1}}) {
    const WrittenBlock block(cloud, k_columns, none);
    EXPECT_EQ(attributes_of(block), (Lines{"uint8 query_query_nn_id 6 7 8", "uint8 a 6 7 8", "uint8 query_nn_id 6 7 8",
                                           "int32 nn_id 10 11 12"}));
    EXPECT_EQ(std::get<std::span<const float>>(block.view().points.coordinates).data(),
              std::get<Array<float>>(cloud.points.coordinates).data());  // no copy
  }
}

TEST(WrittenBlocks, LeavePointsOut) {
  Cloud cloud = queries();
  const auto coordinates = [](const WrittenBlock& block) {
    const auto values = std::get<std::span<const float>>(block.view().points.coordinates);
    return std::vector<float>(values.begin(), values.end());
  };
  const WrittenBlock some(cloud, k_columns, Flags{1, 0, 1});
  EXPECT_EQ(attributes_of(some),
            (Lines{"uint8 query_query_nn_id 6 8", "uint8 a 6 8", "uint8 query_nn_id 6 8", "int32 nn_id 10 12"}));
  EXPECT_EQ(coordinates(some), (std::vector<float>{0, 1, 4, 5}));
  EXPECT_EQ(some.view().las, nullptr);
  const WrittenBlock none(cloud, k_columns, Flags{0, 0, 0});
  EXPECT_EQ(attributes_of(none).back(), "int32 nn_id");
  EXPECT_EQ(none.view().points.size(), 0);

  cloud.las = std::make_shared<const LasRecords>(LasRecords{"head", 2, {'a', 'b', 'c', 'd', 'e', 'f'}, "after", 1});
  const WrittenBlock las(cloud, k_columns, Flags{0, 1, 1});
  EXPECT_EQ(attributes_of(las), (Lines{"uint8 query_query_nn_id 7 8", "int32 nn_id 11 12"}));  // a is in the records
  const LasRecords& records = *las.view().las;
  EXPECT_EQ(std::string(records.records.begin(), records.records.end()), "cdef");
  EXPECT_EQ(records.head + records.extended, "headafter");
  EXPECT_EQ(WrittenBlock(cloud, k_columns, Flags{1, 1, 1}).view().las, cloud.las.get());
}

}  // namespace
}  // namespace kann::cli
