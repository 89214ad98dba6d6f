// Clouds written in blocks: the bytes, the warnings and the errors are those of the cloud as a whole.
#include <set>

#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

const CloudFormat k_formats_of_clouds[] = {CloudFormat::ply, CloudFormat::las, CloudFormat::csv};
constexpr std::int64_t k_count = 23;

void expect_same_in_all_formats(const TestCloud& cloud) {
  for (const CloudFormat format : k_formats_of_clouds) expect_same_in_blocks(format, cloud);
}

/// `all`, except for value number `place`.
template <class T>
Array<T> all_but_one(T all, std::int64_t place, T one, std::int64_t count = k_count) {
  Array<T> values(static_cast<std::size_t>(count), all);
  values[static_cast<std::size_t>(place)] = one;
  return values;
}

constexpr std::int64_t k_places[] = {0, 8, k_count - 1};

TEST(WriteCloudBlocks, CoordinatesThatAreNotFinite) {
  for (const int dimensions : {2, 3})
    for (const std::int64_t place : k_places) {
      TestCloud cloud{"nan", map_points(k_count, dimensions), {}};
      auto& values = std::get<Array<double>>(cloud.points.coordinates);
      values[static_cast<std::size_t>(place * dimensions + 1)] = std::numeric_limits<double>::quiet_NaN();
      values[static_cast<std::size_t>((k_count - 1) * dimensions)] = -std::numeric_limits<double>::infinity();
      expect_same_in_all_formats(cloud);
      EXPECT_EQ(outcome_in_blocks(CloudFormat::las, in_blocks(cloud, 7)).error,
                ": point 22: x is -inf, which LAS cannot hold; leave such points out, or write ply or cloud-csv");
    }
}

/// An attribute for each two of these values and each place.
template <class T>
std::vector<Attribute> wide_attributes(std::initializer_list<T> edges) {
  std::vector<Attribute> all;
  for (const T edge : edges)
    for (const T other : edges)
      for (const std::int64_t place : k_places) {
        Array<T> values = all_but_one<T>(0, place, edge);
        values[12] = other;
        all.push_back(attribute("id", values));
      }
  return all;
}

constexpr std::int64_t k_31 = std::int64_t{1} << 31, k_32 = std::int64_t{1} << 32, k_53 = std::int64_t{1} << 53;

/// The type that PLY has for integers of 64 bits depends on all of them.
TEST(WriteCloudBlocks, IntegersOf64Bits) {
  for (const auto& attributes :
       {wide_attributes<std::int64_t>({0, -1, k_31 - 1, k_31, -k_31, -k_31 - 1, k_32 - 1, k_32, k_53, -k_53}),
        wide_attributes<std::uint64_t>({0, k_31 - 1, k_31, k_32 - 1, k_32, k_53})}) {
    const TestCloud cloud{"wide", map_points(k_count, 2), attributes};
    const std::string ply = expect_same_in_blocks(CloudFormat::ply, cloud).bytes;
    for (const char* const type : {"int", "uint", "double"})
      EXPECT_NE(ply.find("property " + std::string(type) + " id"), std::string::npos) << type;
    expect_same_in_blocks(CloudFormat::las, cloud);
    expect_same_in_blocks(CloudFormat::csv, cloud);
  }
}

template <class T>
void expect_refused_by_ply(std::initializer_list<T> values) {
  for (const T value : values)
    for (const std::int64_t place : k_places) {
      const TestCloud cloud{"far", map_points(k_count), {attribute("id", all_but_one<T>(1, place, value))}};
      EXPECT_EQ(
          expect_same_in_blocks(CloudFormat::ply, cloud).error,
          ": attribute 'id' has " + std::to_string(value) + ", which no type of PLY holds; write las or cloud-csv");
    }
}

TEST(WriteCloudBlocks, IntegersThatPlyDoesNotHold) {
  using Limits = std::numeric_limits<std::int64_t>;
  expect_refused_by_ply<std::int64_t>({k_53 + 1, -k_53 - 1, Limits::min(), Limits::max()});
  expect_refused_by_ply<std::uint64_t>({k_53 + 1, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()});
}

/// The first attribute with such an integer is named, and its first value, even if a later attribute has one earlier.
TEST(WriteCloudBlocks, TheFirstIntegerThatPlyDoesNotHoldIsNamed) {
  constexpr std::int64_t far = k_53 + 1;
  Array<std::int64_t> a = all_but_one<std::int64_t>(0, 15, far);
  a[20] = -far;
  const TestCloud cloud{
      "far", map_points(k_count), {attribute("a", a), attribute("b", all_but_one<std::int64_t>(0, 3, far))}};
  EXPECT_EQ(expect_same_in_blocks(CloudFormat::ply, cloud).error,
            ": attribute 'a' has 9007199254740993, which no type of PLY holds; write las or cloud-csv");
}

/// A value that a field of LAS does not hold, in any block, makes its attribute extra bytes.
TEST(WriteCloudBlocks, FieldsOfNewLas) {
  for (const std::int64_t place : k_places)
    for (const std::int32_t value : {0, 1, 15, 16, 255, 256, 65535, 65536, -1}) {
      std::vector<Attribute> attributes = {attribute("red", Array<std::uint8_t>(k_count, 200)),
                                           attribute("Green", Array<std::uint16_t>(k_count, 300))};
      for (const char* const name : {"blue", "return_number", "number_of_returns", "Return_Number", "return_number",
                                     "classification", "withheld", "intensity", "gps_time", "red"})
        attributes.push_back(attribute(name, all_but_one<std::int32_t>(1, place, value)));
      attributes.push_back(attribute("return_number", Array<std::uint8_t>(k_count, 3)));
      const Outcome got = expect_same_in_blocks(CloudFormat::las, {"fields", map_points(k_count), attributes});
      EXPECT_EQ(got.bytes[104], value >= 0 && value <= 65535 ? 7 : 6);
      EXPECT_EQ(number_at<std::uint64_t>(got.bytes, 255 + 16), value >= 0 && value <= 15 ? 0u : k_count);
    }
  std::vector<Attribute> bytes;
  for (const char* const name : {"red", "green", "blue"}) bytes.push_back(hard_attribute<std::uint8_t>(name, k_count));
  expect_same_in_all_formats({"bytes", map_points(k_count), bytes});
}

/// The points have between 0 and 9 decimals, in an order that makes the scale change in late blocks.
TEST(WriteCloudBlocks, ScalesOfNewLas) {
  Random random(3);
  std::set<double> scales;
  for (int round = 0; round < 60; ++round) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random.below(40));
    const double size = std::pow(10.0, static_cast<double>(random.below(14)) - 4);
    const auto decimals = 1 + random.below(10);
    TestCloud cloud{"scales", {round % 3 == 0 ? 2 : 3, Array<double>()}, {}};
    for (std::int64_t i = 0; i < count * cloud.points.dimensions; ++i) {
      const double power = std::pow(10.0, static_cast<double>(random.below(decimals)));
      std::get<Array<double>>(cloud.points.coordinates)
          .push_back(std::round((random.uniform() - 0.5) * size * power) / power);
    }
    if (round % 2 == 0) {
      Array<float> narrow;
      for (const double value : std::get<Array<double>>(cloud.points.coordinates))
        narrow.push_back(static_cast<float>(value));
      cloud.points.coordinates = narrow;
    }
    if (round % 6 == 0)
      cloud.attributes.push_back(attribute("z", Array<float>(static_cast<std::size_t>(count), 0.125f)));
    if (round % 9 == 0) cloud.attributes.push_back(hard_attribute<std::int32_t>("z", count));
    scales.insert(number_at<double>(expect_same_in_blocks(CloudFormat::las, cloud).bytes, 131));
  }
  EXPECT_GT(scales.size(), 6u);
}

TEST(WriteCloudBlocks, ExtentsThatLasDoesNotHold) {
  for (const double far : {3e6, 1e12, 1e300, 1e308})
    for (const std::int64_t place : k_places) {
      TestCloud cloud{"far", map_points(k_count), {}};
      std::get<Array<double>>(cloud.points.coordinates)[static_cast<std::size_t>(3 * place + 2)] = -far;
      expect_same_in_blocks(CloudFormat::las, cloud);
    }
}

TEST(WriteCloudBlocks, LasRecords) {
  Random random(9);
  for (const int format : {0, 3, 6, 7})
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, k_count}) {
      TestCloud cloud{"records", map_points(count), {}};
      std::string bytes =
          written(CloudFormat::las, cloud.points, {attribute("old", Array<float>(static_cast<std::size_t>(count), 1))});
      if (format == 7 || format < 6)
        bytes = las(
            {.minor = 3, .format = format, .record = format == 7 ? 40 : 34 + format, .points = {}, .waveforms = 999});
      cloud.las = *read_bytes("a.las", bytes, {.las_records = true}).las;
      cloud.las->records.resize(static_cast<std::size_t>(count) * cloud.las->record_bytes);
      for (char& byte : cloud.las->records) byte = static_cast<char>(random.below(256));
      cloud.las->extended = std::string(77, 'e');
      cloud.las->extended_count = 1;
      if (format == 6) expect_same_in_blocks(CloudFormat::las, cloud);
      cloud.attributes = attributes_of_every_type(count, false);
      for (const std::int32_t value : {3, 9, 300}) {
        for (const char* const name : {"return_number", "classification", "x", "old", "old", "red", "withheld"})
          cloud.attributes.push_back(attribute(
              name, count == 0 ? Array<std::int32_t>() : all_but_one<std::int32_t>(2, count - 1, value, count)));
        const Outcome got = expect_same_in_blocks(CloudFormat::las, cloud);
        EXPECT_EQ(got.error, "");
        EXPECT_EQ(got.bytes.substr(got.bytes.size() - 77), cloud.las->extended);
      }
      expect_same_in_blocks(CloudFormat::ply, cloud.points_between(0, 0));  // other formats leave the records out
    }
}

TEST(WriteCloudBlocks, PassesOverTheCloud) {
  const auto passes = [](CloudFormat format, const TestCloud& cloud) {
    BlockPasses blocks = in_blocks(cloud, 7);
    const TemporaryFolder folder;
    CloudFile(folder.file("a"), format, false).write(blocks.cloud());
    return blocks.passes;
  };
  TestCloud cloud{"passes", map_points(k_count), attributes_of_every_type(k_count, true)};
  EXPECT_EQ(passes(CloudFormat::ply, cloud), 1);
  EXPECT_EQ(passes(CloudFormat::csv, cloud), 1);
  EXPECT_EQ(passes(CloudFormat::las, cloud), 3);  // extents, scales
  std::get<Array<double>>(cloud.points.coordinates).back() += 0.0001;
  EXPECT_EQ(passes(CloudFormat::las, cloud), 4);
  cloud.attributes = {attribute("id", Array<std::uint64_t>(k_count, 1))};
  EXPECT_EQ(passes(CloudFormat::ply, cloud), 2);
}

/// The cloud in three blocks; `change` changes the second one.
Outcome written_with_another_block(CloudFormat format, const auto& change) {
  TestCloud cloud{"other", map_points(k_count), attributes_of_every_type(k_count, true)};
  cloud.las = *read_bytes("a.las", las({.points = {}}), {.las_records = true}).las;
  cloud.las->records.resize(static_cast<std::size_t>(k_count) * cloud.las->record_bytes);
  BlockPasses blocks = in_blocks(cloud, 8);
  change(blocks.blocks[2]);
  return outcome_in_blocks(format, std::move(blocks));
}

TEST(WriteCloudBlocks, BlocksThatDifferAreRefused) {
  const auto expect_refused = [](const auto& change, bool is_las_alone = false) {
    for (const CloudFormat format : k_formats_of_clouds) {
      const Outcome got = written_with_another_block(format, change);
      const bool is_refused = format == CloudFormat::las || !is_las_alone;
      EXPECT_EQ(got.kind, is_refused ? std::optional(ErrorKind::internal) : std::nullopt) << got.error;
      EXPECT_EQ(got.error,
                is_refused ? ": the blocks of a cloud differ in their types, attributes or LAS records" : "");
    }
  };
  expect_refused([](TestCloud& block) { block.attributes[1].name += "a"; });
  expect_refused([](TestCloud& block) { block.attributes[1].values = Array<std::int8_t>(8); });
  expect_refused([](TestCloud& block) { block.attributes.pop_back(); });
  expect_refused([](TestCloud& block) { std::swap(block.attributes[0], block.attributes[1]); });
  expect_refused([](TestCloud& block) { block.points = map_points(8, 2); });
  expect_refused([](TestCloud& block) { block.points = map_points(8, 3, true); });
  expect_refused([](TestCloud& block) { block.las.reset(); }, true);
  expect_refused([](TestCloud& block) { block.las->head[30] = 'a'; }, true);
}

TEST(WriteCloudBlocks, SizesThatDoNotMatchAreRefused) {
  for (const CloudFormat format : k_formats_of_clouds) {
    const Outcome values = written_with_another_block(
        format, [](TestCloud& block) { std::get<Array<std::int8_t>>(block.attributes[0].values).pop_back(); });
    EXPECT_EQ(values.kind, ErrorKind::bad_input);
    EXPECT_EQ(values.error, ": attribute 'int8' has 7 values for 8 points");
    for (const std::int64_t more : {-1, 1}) {
      BlockPasses blocks = in_blocks({"size", map_points(k_count), {}}, 7);
      CloudBlocks cloud = blocks.cloud();
      cloud.points += more;
      const Outcome got = write_outcome(format, [&](CloudFile& file) { return file.write(cloud); });
      EXPECT_EQ(got.kind, ErrorKind::internal);
      EXPECT_EQ(got.error, ": the blocks of a cloud of " + std::to_string(23 + more) + " points have 23");
    }
    EXPECT_EQ(outcome_in_blocks(format, {}).kind, ErrorKind::internal);  // not one block
  }
}

}  // namespace
}  // namespace kann::formats
