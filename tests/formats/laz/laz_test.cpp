// LAZ files that laspy[lazrs] has written beside the same points as LAS in the folder KANN_LAZ_FOLDER, what is wrong
// with them, and what is written: laz_test.py makes the files, and reads those that are written.
#include <algorithm>
#include <cstdlib>
#include <sys/resource.h>

#include "formats/clouds/clouds_support.hpp"
#include "formats/file_contents.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

namespace fs = std::filesystem;

fs::path folder() { return std::getenv("KANN_LAZ_FOLDER"); }

/// All names NAME.laz of the folder that begin so, without the extension.
std::vector<std::string> clouds(const std::string& begin = "") {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder()))
    if (entry.path().extension() == ".laz" && entry.path().filename().string().starts_with(begin))
      all.push_back((folder() / entry.path().stem()).string());
  std::ranges::sort(all);
  return all;
}

std::string file(const std::string& name) { return contents((folder() / (name + ".laz")).string()); }

const std::vector<ReadOptions> k_reads = {
    {}, {.columns = {"x", "y"}, .attributes = {"intensity"}}, {.all_attributes = true, .las_records = true}};

/// The same without what the writer of the file says of itself, and without where extended records are.
ReadOutcome comparable(ReadOutcome outcome) {
  const std::size_t head = outcome.facts.find("| las LASF");
  if (head != std::string::npos && outcome.facts[head + 6 + las_header::minor] >= 4)
    outcome.facts.replace(head + 6 + las_header::extended_begin, 8, 8, '\0');
  return outcome;
}

TEST(ReadLaz, GivesTheCloudOfTheLasFile) {
  EXPECT_GT(clouds().size(), 20u);
  for (const std::string& cloud : clouds("f"))
    for (const ReadOptions& options : k_reads) {
      const ReadOutcome las = comparable(whole(cloud + ".las", options));
      EXPECT_EQ(las.error, "");
      EXPECT_EQ(comparable(whole(cloud + ".laz", options)), las) << cloud;
    }
}

TEST(ReadLaz, IsTheSameInEveryWay) {
  for (const std::string& cloud : clouds("f7_")) expect_every_way(cloud + ".laz", k_reads[2]);
  for (const std::string& cloud : clouds()) {
    const ReadOutcome want = whole(cloud + ".laz", k_reads[2]);
    for (const std::int64_t part : {std::int64_t{49'999}, k_all})
      EXPECT_EQ(in_parts(cloud + ".laz", k_reads[2], part), want) << cloud << " by " << part;
  }
}

TEST(ReadLaz, WhatInfoSaysOfIt) {
  const FileContents contents((folder() / "f3_50001.laz").string(), {});
  EXPECT_EQ(contents.format(), "LAZ 1.2, point format 3");
  EXPECT_EQ(contents.size(), 50'001);
}

TEST(ReadLaz, LeavesOutTheRecordOfLaszipAlone) {
  const Cloud cloud = read_points((folder() / "f3_50001.laz").string(), {.las_records = true});
  Lines users;
  for (const LasVlr& vlr : las_vlrs(cloud.las->head)) users.emplace_back(vlr.user);
  EXPECT_EQ(users, (Lines{"a user", "LASF_Spec"}));
  EXPECT_EQ(parse_las_header(cloud.las->head, "a").begin, cloud.las->head.size());
}

TEST(ReadLaz, AnExtensionThatContradictsTheContentIsAWarning) {
  EXPECT_EQ(warnings_in("a.las", file("f3_2")),
            Lines{"a.las: read as LAZ, as its content says, though its extension says LAS"});
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

TEST(WriteLaz, IsWhatWasRead) {
  for (const std::string& cloud : clouds()) {
    const Cloud las = read_points(cloud + ".las", {.las_records = true});
    const std::string path = cloud + ".written.laz";
    fs::remove(path);
    write_cloud(path, CloudFormat::laz, las.points, {}, las.las.get());
    EXPECT_EQ(comparable(whole(path, k_reads[2])).records, whole(cloud + ".las", k_reads[2]).records) << cloud;
    fs::rename(path, cloud + ".written");
  }
}

TEST(WriteLaz, ToAStreamIsTheSameButForThePlaceOfTheTable) {
  const Cloud cloud = read_points((folder() / "f3_50001.las").string(), {.las_records = true});
  const TemporaryFolder place;
  const std::string path = place.file("a.laz"), seekable = place.file("b.laz");
  const std::string pipe = place.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(std::system(("cat " + pipe + " >" + path + " &").c_str()), 0);
  for (const std::string& to : {pipe, seekable}) write_cloud(to, CloudFormat::laz, cloud.points, {}, cloud.las.get());
  std::string streamed;
  const std::string stored = contents(seekable);
  for (int wait = 0; wait < 500 && streamed.size() < stored.size() + 8; ++wait) {
    streamed = contents(path);
    usleep(10'000);
  }
  EXPECT_EQ(whole(path, k_reads[2]), whole(seekable, k_reads[2]));
  const std::size_t begin = parse_las_header(stored, "b").begin;
  EXPECT_EQ(streamed.substr(begin + 8), stored.substr(begin + 8) + stored.substr(begin, 8));
}

TEST(WriteLaz, ACloudThatIsNoLas) {
  const TemporaryFolder place;
  for (const std::int64_t n : {0, 1, 50'001}) {
    Points points{3, Array<double>()};
    for (std::int64_t i = 0; i < 3 * n; ++i)
      std::get<Array<double>>(points.coordinates).push_back(static_cast<double>(i * 7919 % 100'000) / 100);
    const std::vector<Attribute> attributes = {{"weight", Array<float>(static_cast<std::size_t>(n), 0.5f)}};
    write_cloud(place.file("a.las"), CloudFormat::las, points, attributes);
    write_cloud(place.file("a.laz"), CloudFormat::laz, points, attributes);
    EXPECT_EQ(whole(place.file("a.laz"), k_reads[2]), whole(place.file("a.las"), k_reads[2])) << n;
  }
}

TEST(WriteLaz, ExtendedRecordsFollowThePoints) {
  const std::string path = (folder() / "f6_3.las").string();
  Cloud cloud = read_points(path, {.las_records = true});
  LasRecords las = *cloud.las;
  las.extended = std::string(60, '\0') + "after the points";
  las.extended.replace(2, 4, "user");
  las.extended.replace(20, 1, "\x10");
  las.extended_count = 1;
  const TemporaryFolder place;
  write_cloud(place.file("a.las"), CloudFormat::las, cloud.points, {}, &las);
  write_cloud(place.file("a.laz"), CloudFormat::laz, cloud.points, {}, &las);
  const Cloud again = read_points(place.file("a.laz"), {.las_records = true});
  EXPECT_EQ(again.las->extended, las.extended);
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_EQ(comparable(whole(place.file("a.laz"), k_reads[2])), comparable(whole(place.file("a.las"), k_reads[2])));

  CloudFile stream("/dev/null", CloudFormat::laz, true);
  EXPECT_EQ(failure_of([&] { stream.write(cloud.points, {}, &las); }),
            "4: /dev/null: LAZ with extended variable length records cannot be written to a stream; name a file, or "
            "write las");
}

TEST(WriteLaz, AFullDiskIsAnError) {
  const Cloud cloud = read_points((folder() / "f3_50001.las").string(), {.las_records = true});
  EXPECT_EQ(failure_of([&] { write_cloud("/dev/full", CloudFormat::laz, cloud.points, {}, cloud.las.get()); }),
            "4: /dev/full: No space left on device");
}

}  // namespace
}  // namespace kann::formats
