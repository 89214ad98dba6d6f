// LAZ files that laspy[lazrs] has written beside the same points as LAS, and what is wrong with them.
#include <sys/resource.h>

#include "formats/file_contents.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"
#include "formats/laz/laz_support.hpp"
#include "formats/points/las/las_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

TEST(ReadLaz, GivesTheCloudOfTheLasFile) {
  EXPECT_GT(clouds().size(), 20u);
  for (const std::string& cloud : clouds("f"))
    for (const ReadOptions& options : k_reads) {
      const ReadOutcome las = comparable(whole(cloud + ".las", options));
      EXPECT_EQ(las.error, "");
      EXPECT_EQ(comparable(whole(cloud + ".laz", options)), las) << cloud;
    }
}

TEST(ReadLaz, ThreadsChangeNothing) {
  for (const std::string& cloud : clouds("f7_"))
    EXPECT_EQ(whole(cloud + ".laz", {{.threads = 1}}), whole(cloud + ".laz", {{.threads = 5}})) << cloud;
}

TEST(ReadLaz, RangesAreThoseOfTheWholeFile) {
  for (const std::string& cloud : clouds())
    for (const std::int64_t part : {std::int64_t{49'999}, k_all}) {
      const auto got = in_parts(cloud + ".laz", k_reads[2], part);
      ASSERT_TRUE(got) << cloud;
      EXPECT_EQ(*got, whole(cloud + ".laz", k_reads[2])) << cloud << " by " << part;
    }
}

TEST(ReadLaz, WhatInfoSaysOfIt) {
  const FileContents contents((folder() / "f3_50001.laz").string(), {});
  EXPECT_EQ(contents.format(), "LAZ 1.2, point format 3");
  EXPECT_EQ(contents.size(), 50'001);
}

TEST(ReadLaz, FromAPipe) {
  for (const std::string name : {"f3_50001", "f6_50001"}) {
    const TemporaryFolder place;
    const std::string path = (folder() / (name + ".laz")).string();
    EXPECT_EQ(whole(fifo(place, "cat " + path + " >{}"), {{.format = PointFormat::laz}}), whole(path, {}));
  }
}

TEST(ReadLaz, LeavesOutTheRecordOfLaszipAlone) {
  const Cloud cloud = read_points((folder() / "f3_50001.laz").string(), {.las_records = true});
  std::vector<std::string> users;
  for (const LasVlr& vlr : las_vlrs(cloud.las->head)) users.emplace_back(vlr.user);
  EXPECT_EQ(users, (std::vector<std::string>{"a user", "LASF_Spec"}));
  EXPECT_EQ(parse_las_header(cloud.las->head, "a").begin, cloud.las->head.size());
}

TEST(ReadLaz, AnExtensionThatContradictsTheContentIsAWarning) {
  const Cloud cloud = read_bytes("a.las", file("f3_2"));
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_TRUE(cloud.warnings[0].ends_with("a.las: read as LAZ, as its content says, though its extension says LAS"));
  EXPECT_EQ(refusal("a.laz", file("f3_2"), {.format = PointFormat::las}),
            "a.laz: it begins as a file of LAZ does, but --data-format or --query-format says LAS");
  EXPECT_EQ(refusal("a.laz", las(), {.format = PointFormat::laz}),
            "a.laz: it begins as a file of LAS does, but --data-format or --query-format says LAZ");
}

/// A LAZ file to be damaged: `begin` is the place of the table of its chunks.
struct Laz {
  explicit Laz(const std::string& name) : bytes(file(name)), header(parse_las_header(bytes, name)) {}

  std::size_t begin() const { return header.begin; }
  std::size_t table() const { return static_cast<std::size_t>(number_at<std::int64_t>(bytes, begin())); }
  std::size_t record() const {  // the content of the record of LASzip
    for (const LasVlr& vlr : las_vlrs(std::string_view(bytes).substr(0, begin())))
      if (vlr.user == "laszip encoded") return vlr.begin + k_vlr_header_bytes;
    return 0;
  }
  template <class T>
  Laz& put(std::size_t offset, T value) {
    bytes.replace(offset, sizeof value, bytes_of(value));
    return *this;
  }
  std::string refused() const { return refusal("a.laz", bytes); }

  std::string bytes;
  LasHeader header;
};

TEST(LazRefused, ACutFileIsRefusedWhereverItIsCut) {
  for (const char* name : {"f3_3", "f7_3", "f1_50001", "f6_50001"}) {
    const Laz laz(name);
    // Behind it is what need not be known where every chunk says how long it is
    const std::size_t end = laz.table() + 8, step = end < 10'000 ? 7 : end / 20;
    for (std::size_t size = 4; size < end; size += step) {
      const std::string message = refusal("a.laz", laz.bytes.substr(0, size));
      EXPECT_TRUE(message.starts_with("a.laz")) << name << " " << size << " " << message;
    }
  }
}

TEST(LazRefused, TheTableOfTheChunks) {
  EXPECT_EQ(Laz("f3_3").put(Laz("f3_3").begin(), std::int64_t{-2}).refused(),
            "a.laz: the table of its chunks is at byte -2, file holds " + std::to_string(file("f3_3").size()) +
                "; the file is cut or damaged");
  Laz unfinished("f3_3");
  unfinished.put(unfinished.begin(), static_cast<std::int64_t>(unfinished.begin()));
  EXPECT_TRUE(unfinished.refused().starts_with("a.laz: the table of its chunks is at byte ")) << unfinished.refused();
  for (const std::uint32_t chunks : {0u, 2u, 0xffffffffu}) {
    Laz laz("f3_3");
    const std::string message = laz.put(laz.table() + 4, chunks).refused();
    EXPECT_TRUE(message.starts_with("a.laz: the table of its chunks has version 0 and " + std::to_string(chunks) +
                                    " chunks, need 0 and 1 (at most "))
        << message;
  }
  Laz table("f3_50001");
  EXPECT_EQ(table.put(table.table() + 8, 0xffffffffu).refused(),
            "a.laz: the table of its chunks does not say where they are; the file is cut or damaged");
  EXPECT_EQ(table.put(table.table() + 8, 0u).refused().substr(0, 12), "a.laz@byte 8");  // it says another place
}

TEST(LazRefused, LayersThatAreLargerThanTheFile) {
  Laz laz("f6_3");
  const std::size_t sizes = laz.begin() + 8 + laz.header.record + 4;
  for (std::size_t layer = 0; layer < 9; ++layer) {
    Laz damaged = laz;
    EXPECT_EQ(damaged.put(sizes + 4 * layer, 0xfffffff0u).refused(),
              "a.laz: its chunks have 0 of 3 points; the file is cut or damaged");
  }
  laz.put(sizes - 4, std::uint32_t{4});
  EXPECT_EQ(laz.refused(), "a.laz: its chunks have 0 of 3 points; the file is cut or damaged");
}

TEST(LazRefused, DecodersThatWouldLeaveTheirTables) {
  for (const char* name : {"f0_3", "f3_3", "f6_3"}) {
    Laz laz(name);
    const bool is_layered = laz.header.format >= 6;
    const std::size_t chunk = laz.begin() + 8;
    const std::size_t layers = laz.header.format == 6 ? 9 + laz.header.record - 30 : 0;
    laz.put(chunk + laz.header.record + (is_layered ? 4 + 4 * layers : 0), 0xffffffffu);
    const std::string message = laz.refused();
    EXPECT_TRUE(message.starts_with("a.laz@byte " + std::to_string(chunk) + ": the ")) << message;
    EXPECT_TRUE(message.ends_with(" compressed bytes of points 0 to 2 are damaged")) << message;
  }
}

TEST(LazRefused, TimesThatWouldOverflowTheStack) {
  EXPECT_EQ(refusal("a.laz", contents(KANN_LAZ_DEEP_TIMES)),
            "a.laz@byte 483: the 165 compressed bytes of points 0 to 2 are damaged");
}

TEST(LazRefused, TheRecordOfLaszip) {
  const Laz laz("f3_3");
  const std::size_t record = laz.record();
  const std::string place = "a.laz@byte " + std::to_string(record) + ": the record of LASzip ";
  const auto refused = [&](std::size_t offset, auto value) {
    Laz damaged = laz;
    return damaged.put(offset, value).refused();
  };
  EXPECT_EQ(refused(record - 54 + 2, 'L'), "a.laz: no record of LASzip says how its points are compressed");
  EXPECT_EQ(refused(record, std::uint16_t{7}),
            place + "has compressor 7 and coder 0, which are not known for point format 3; decompress it first");
  EXPECT_EQ(refused(record, std::uint16_t{3}),
            place + "has compressor 3 and coder 0, which are not known for point format 3; decompress it first");
  EXPECT_EQ(refused(record + 2, std::uint16_t{1}),
            place + "has compressor 2 and coder 1, which are not known for point format 3; decompress it first");
  EXPECT_EQ(refused(record + 12, 0u), place + "has chunks of 0 points");
  EXPECT_EQ(refused(record + 12, 0xffffffffu),
            place + "has chunks of any number of points, which are not known for point format 3; decompress it first");
  const std::string other =
      place + "is not that of point format 3 with " + std::to_string(laz.header.record) + " bytes";
  for (const std::size_t offset : {32, 34, 36, 38}) EXPECT_EQ(refused(record + offset, std::uint16_t{99}), other);
  EXPECT_EQ(refused(record - 54 + 20, std::uint16_t{9}), place + "has 9 bytes, need 34");
}

TEST(LazRefused, MoreMemoryThanTheFileIsWorth) {
  Laz laz("f6_3");
  constexpr std::uint32_t points = 1u << 24;
  laz.put(las_header::count_64, std::uint64_t{points}).put(laz.record() + 12, points);
  laz.put(laz.begin() + 8 + laz.header.record, points);
  EXPECT_EQ(laz.refused(), "a.laz: " + std::to_string(laz.bytes.size() - laz.begin()) +
                               " compressed bytes would take " +
                               std::to_string(std::uint64_t{points} * laz.header.record) +
                               " bytes of memory (need at most 50331648); decompress the file first if it is sound");
}

TEST(LazRefused, DamagedPointsAreReadOrRefused) {
  Random random(3);
  int refused = 0, all = 0;
  for (const char* name : {"f0_3", "f3_3", "f6_3", "f8_3", "f3_700", "f7_700"}) {
    const Laz laz(name);
    for (int i = 0; i < 200; ++i, ++all) {
      std::string bytes = laz.bytes;
      for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
        const std::size_t at = laz.record() + random.below(bytes.size() - laz.record());
        bytes[at] = static_cast<char>(random.below(4) == 0 ? 255 : random.below(256));
        if (random.below(9) == 0) bytes.resize(std::max(laz.begin(), at));
      }
      const std::string message = refusal("a.laz", bytes);
      EXPECT_TRUE(message == "read" || message.starts_with("a.laz")) << message;
      refused += message != "read";
    }
  }
  EXPECT_GT(refused, all / 2);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, 1 << 20) << "KiB";
}

}  // namespace
}  // namespace kann::formats
