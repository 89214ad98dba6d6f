// Small files of all formats and oddities, whole, cut and damaged, large ones and real clouds: however they are read,
// they have the same rows, or what is wrong is said in the same words.
#include <random>

#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string ply_with(const std::string& order, const std::string& elements, const std::string& body) {
  return "ply\nformat binary_" + order + "_endian 1.0\n" + elements + "end_header\n" + body;
}

const std::string k_vertices =
    "element vertex 4\nproperty uchar class\nproperty double z\nproperty float x\nproperty short y\n";

std::string vertex_rows(bool is_big) {
  std::string body;
  for (int i = 0; i < 4; ++i)
    body += bytes_of(std::uint8_t(i)) + bytes_of(i + .1, is_big) + bytes_of(2.5f * static_cast<float>(i), is_big) +
            bytes_of(std::int16_t(-i), is_big);
  return body;
}

const std::string k_pcd_colours = "FIELDS x y _ rgb class n\nSIZE 4 4 4 4 4 2\nTYPE F F F U I I\nCOUNT 1 1 1 1 1 2\n";

std::string floats(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += bytes_of(.1f * static_cast<float>(i * i % 31));
  return bytes;
}

struct Sample {
  std::string name, bytes;
  ReadOptions options = {};
  bool has_ranges = true;
};
void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

std::vector<Sample> samples() {
  std::vector<Sample> all;
  const std::string faces =
      "element face 3\nproperty list uchar int i\nproperty uchar c\nproperty list short float w\n";
  const std::string sensor = "element sensor 2\nproperty int id\n";
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? "big" : "little";
    std::string face_rows;
    for (int i = 0; i < 3; ++i) {
      face_rows += bytes_of(std::uint8_t(i)) + std::string(4 * static_cast<std::size_t>(i), 'i') + 'c';
      face_rows += bytes_of(std::int16_t(2 - i), is_big) + std::string(4 * static_cast<std::size_t>(2 - i), 'w');
    }
    all.push_back({"a.ply", ply_with(order, k_vertices, vertex_rows(is_big))});
    all.push_back({"a.ply", ply_with(order, k_vertices, vertex_rows(is_big)), {.columns = {"y", "x"}}});
    all.push_back({"b.ply", ply_with(order, sensor + k_vertices, std::string(8, '\0') + vertex_rows(is_big) + " \n")});
    all.push_back({"f.ply", ply_with(order, k_vertices + faces, vertex_rows(is_big) + face_rows)});
    all.push_back({"g.ply", ply_with(order, faces + k_vertices + sensor,
                                     face_rows + vertex_rows(is_big) + std::string(8, 's') + "rest")});
  }
  for (const std::string order : {"False", "True"}) {
    all.push_back({"a.npy", npy("'<f4'", order, "(4, 3)", floats(12))});
    all.push_back({"c.npy", npy("'>f8'", order, "(2, 5)", floats(20)), {.columns = {"4", "2"}}});
    all.push_back({"s.npy", npy("[('c', '<u2'), ('x', '>f8'), ('y', '<f4')]", order, "(2,)", floats(7))});
    all.push_back({"r.npy", npy("'<f8'", order, "(1, 2)", floats(4) + "rest")});
    all.push_back({"0.npy", npy("'<f8'", order, "(0, 2)", "")});
    all.push_back({"i.npy", npy("'<i8'", order, "(3, 2)", bytes_of_all<std::int64_t>({1, -2, 3, 1ll << 53, 5, 6}))});
  }
  std::string vectors;
  for (int i = 0; i < 5; ++i) vectors += bytes_of(std::int32_t{3}) + floats(3);
  all.push_back({"a.fvecs", vectors});
  all.push_back({"a.fvecs", vectors, {.columns = {"3", "1"}}});
  all.push_back({"a.fbin", bytes_of_all<std::uint32_t>({5, 3}) + floats(15)});
  all.push_back({"a.fbin", bytes_of_all<std::uint32_t>({3, 4}) + floats(15), {.columns = {"4", "2"}}});
  all.push_back({"a.bin", floats(20), {.format = PointFormat::kitti}});
  all.push_back({"b.bin", floats(20), {.format = PointFormat::kitti, .columns = {"reflectance", "y"}}});
  all.push_back({"a.pcd", pcd("binary", "3", floats(9))});
  all.push_back({"b.pcd", pcd("binary", "2", floats(9))});
  all.push_back({"c.pcd", pcd("binary", "2", std::string(2 * 14, 'x') + "\n",
                              "FIELDS i y n x\nSIZE 1 4 1 8\nTYPE U F I F\nCOUNT 1 1 1 1\n")});
  all.push_back({"rgb.pcd", pcd("binary", "3", floats(3 * 6), k_pcd_colours), {.attributes = {"class", "rgb", "x"}}});
  all.push_back({"rgb.pcd", pcd("ascii", "2", "1 2 3 4278255873 5 9 9\n4 5 6 7 4294967295 -1 -1\n", k_pcd_colours)});
  const std::string extras = extra("height", 4, 8 | 16, 0.5, 100) + extra("pair", 13) + extra("Class", 8);
  LasParts parts{.minor = 4, .format = 7, .record = 36 + 2 + 4 + 8, .records = vlr("LASF_Spec", 4, extras)};
  for (int i = 0; i < 5; ++i) parts.points.push_back({i, -i, 77 * i});
  std::string records = las(parts);
  records.replace(100, 4, bytes_of(1));
  all.push_back({"a.las", records});
  all.push_back({"b.las", records, {.columns = {"z", "y"}, .attributes = {"height", "RED", "withheld", "3"}}});
  std::string extended(60, '\0');
  extended.replace(20, 8, bytes_of<std::uint64_t>(5));
  parts.extended_records = 2;  // the second is not there
  parts.tail = extended + "12345";
  std::string with_tail = las(parts);
  with_tail.replace(235, 8, bytes_of<std::uint64_t>(with_tail.size() - parts.tail.size()));
  all.push_back({"c.las", with_tail, {.las_records = true}});
  all.push_back({"a.xyz", "# x y z\n1 2 3\n\n4 5 6e-3\r\n// comment\n  7 8 9"});
  all.push_back({"a.csv", "class;z;x;y\n1;2,5;3;4\n\"2\";NA;5;6\n", {.columns = {"y", "x"}}});
  all.push_back({"b.csv", "\xef\xbb\xbfx,name,y\n1,\"a,b\",3\n4,,6\n"});
  all.push_back({"a.tsv", "x\ty\n1\t2\n\t\n3\tnan\n"});
  all.push_back({"t.txt", "a title of five words\n1 2 3\n5 6 7\n"});
  all.push_back({"h.csv", "x,y,z\n"});
  all.push_back({"i.csv", "x,class,y,word,\n1,-2147483648,3,a,0\n4,2147483647,6,7,-0\n1,+5,007,,1e999\n"});
  all.push_back({"j.csv", "Class,x,y,late\n2147483648,1,2,NA\n5,-0,4,\n", {.attributes = {"class", "4"}}});
  const std::string text_body = "1 2 3\n\n4 5e-1 6 \n\t7 8 9\n";
  all.push_back({"t.ply", ascii_ply("3", text_body + " \n")});
  all.push_back({"u.ply",
                 ascii_ply("2", "1 0.1\n2 .2\n9 9\n", "property uchar y\nproperty double x\n"),
                 {.columns = {"x", "y"}}});
  all.push_back({"v.ply",
                 "ply\nformat ascii 1.0\nelement sensor 1\nproperty int i\nelement vertex 2\nproperty list uchar "
                 "int l\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar "
                 "int i\nend_header\n4\n2 5 6 .1 .2 .3\n0 1 2 3\n3 0 1 1\n"});
  all.push_back({"t.pcd", pcd("ascii", "3", text_body)});
  all.push_back({"u.pcd",
                 pcd("ascii", "2", "1 7 8 .1\n2 9 9 .2\nrest\n", "FIELDS i n x\nSIZE 1 4 8\nTYPE U F F\nCOUNT 1 2 1\n"),
                 {.columns = {"x", "i"}}});
  const std::string points = npy("'<f4'", "False", "(3, 3)", floats(9)),
                    other = npy("'<f8'", "True", "(2, 2)", floats(8));
  all.push_back({"a.npz", zip({{"points.npy", points}, {"other.npy", other}})});
  all.push_back({"b.npz", zip({{"a.npy", "no array"}, {"b.npy", other + "rest"}, {"c.txt", "c"}}, true, "comment")});
  all.push_back({"c.npz", zip({{.name = "c.npy", .content = other, .is_64 = true}}), {.columns = {"2", "1"}}});
  // Only readable as a whole
  all.push_back({"l.ply",
                 binary_ply("2", "\x01z" + bytes_of_all<float>({1, 2, 3}) + "\x02zz" + bytes_of_all<float>({4, 5, 6}),
                            "property list char char l\n" + k_xyz),
                 {},
                 false});
  all.push_back({"z.pcd",
                 pcd("binary_compressed", "2", compressed_body(lzf_literals(k_floats.substr(0, 20)) + "\x40\x03", 24)),
                 {},
                 false});
  all.push_back({"z.npz",
                 zip({{.name = "README", .content = std::string(200, 'a')},
                      {.name = "points.npy", .content = points, .method = 8, .is_64 = true}}),
                 {},
                 false});
  // Headers in comments and numbers that are missing
  all.push_back({"m.xyz", "# made by X\n# id pos_x pos_y pos_z\n7 1 2 3\n8 NA 5 6\n"});
  all.push_back({"m.csv", "\tx\ty\tz\n0\t1\t2\t3\n1\t\t5\t6\n\t\t\t\n"});
  all.push_back({"v.npy", npy("[('x', '<f4'), ('', '|V1'), ('y', '<f4'), ('z', '>i2', )]", "False", "(2,)", k_floats)});
  return all;
}

class Samples : public testing::TestWithParam<Sample> {
 protected:
  /// The file with these bytes. It is removed before, as ext4 flushes a file that is truncated and rewritten.
  const std::string& put(const std::string& bytes) const {
    std::filesystem::remove(path_);
    put_contents(path_, bytes);
    return path_;
  }

  /// Reads a file that may be wrong. What is wrong is said on one line, and is said of ranges, too.
  void read_or_refuse(const std::string& bytes, const ReadRequest& options) {
    const ReadOutcome want = whole(put(bytes), options);
    const auto got = in_parts(path_, options, 2);
    ASSERT_EQ(got.value_or(want), want);
    EXPECT_TRUE(want.error.empty() || want.error.starts_with("3: ")) << want.error;
    EXPECT_EQ(want.error.find('\n'), std::string::npos) << want.error;
    ++(want.error.empty() ? read_ : refused_);
  }

  const Sample& sample_ = GetParam();
  const TemporaryFolder folder_;
  const std::string path_ = folder_.file(sample_.name);
  int read_ = 0, refused_ = 0;
};

TEST_P(Samples, AreReadAlikeInEveryWay) {
  put(sample_.bytes);
  EXPECT_EQ(expect_every_way(path_, sample_.options).error, "");
  for (const ReadRequest& options : with_attributes(sample_.options)) {
    const ReadOutcome want = expect_every_way(path_, options);
    if (!sample_.has_ranges && !want.error.empty()) continue;
    EXPECT_EQ(in_parts(path_, options, 1).has_value(), sample_.has_ranges);
  }
}

TEST_P(Samples, ThatAreCutAreReadOrRefused) {
  for (std::size_t size = 0; size < sample_.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    read_or_refuse(sample_.bytes.substr(0, size), with_attributes(sample_.options)[size % 8]);
  }
  EXPECT_GT(refused_, 0);
}

/// One to four bytes, cuts, insertions or copies of a part.
std::string mutated(std::string bytes, Random& random) {
  static const char* const k_words[] = {"-1",    "4294967295", "18446744073709551615", "end_header\n", "\n",
                                        "list ", "\xff"};
  for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(bytes.size() + 1);
    switch (random.below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = "0 19-.\nex,"[random.below(10)];
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, k_words[random.below(std::size(k_words))]);
        break;
      case 4:
        bytes.erase(at, random.below(8));
        break;
      default:
        bytes.insert(random.below(bytes.size() + 1), bytes.substr(at, random.below(30)));
    }
  }
  return bytes;
}

/// With and without the user's choice of a format and of columns.
TEST_P(Samples, ThatAreDamagedAreReadOrRefused) {
  Random random(11);
  std::vector<ReadRequest> requests = with_attributes(sample_.options);
  requests.push_back(ReadOptions{point_format(sample_.name.substr(2))});
  requests.push_back(ReadOptions{sample_.options.format, {"3", "x"}});
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    read_or_refuse(mutated(sample_.bytes, random), requests[static_cast<std::size_t>(i) % requests.size()]);
  }
  EXPECT_GT(refused_, 20);
  EXPECT_GT(read_ + refused_, 900);
}

INSTANTIATE_TEST_SUITE_P(All, Samples, testing::ValuesIn(samples()), [](const auto& sample) {
  return replaced_all(sample.param.name, ".", "_") + "_" + std::to_string(sample.index);
});

TEST(CloudRows, OfWrongAttributesAreRefusedInTheSameWords) {
  const TemporaryFolder folder;
  const ReadOptions c{.attributes = {"c"}};
  for (const Sample& sample : std::vector<Sample>{
           {"value.ply", ascii_ply("2", "1 2 3 4\n1 2 3 300\n", k_xyz + "property uchar c\n"), c},
           {"list.ply", ascii_ply("1", "1 2 3 0\n", k_xyz + "property list uchar int c\n"), c},
           {"value.pcd", pcd("ascii", "1", "1 2 300\n", "FIELDS x y c\nSIZE 4 4 1\nTYPE F F U\nCOUNT 1 1 1\n"), c},
           {"many.pcd", pcd("binary", "1", floats(4), "FIELDS x y c\nSIZE 4 4 4\nTYPE F F U\nCOUNT 1 1 2\n"), c},
           {"value.csv", "x,y,c\n1,2,3\n4,5,word\n", c},
           {"text.npy", npy("[('x', '<f4'), ('y', '<f4'), ('c', '<U1')]", "False", "(1,)", floats(3)), c},
           {"plain.npy", npy("'<f4'", "False", "(1, 3)", floats(3)), c},
           {"a.fbin", bytes_of_all<std::uint32_t>({1, 3}) + floats(3), c},
           {"a.bin", floats(4), {.format = PointFormat::kitti, .attributes = {"reflectanec"}}},
           {"a.las", las(), {.attributes = {"intenstiy"}}}}) {
    put_contents(folder.file(sample.name), sample.bytes);
    EXPECT_TRUE(expect_every_way(folder.file(sample.name), sample.options).error.starts_with("3: ")) << sample.name;
    EXPECT_NE(failure_of([&] { open_rows(folder.file(sample.name), sample.options); }), "") << sample.name;
  }
}

/// More than the head of a file that is looked at first.
TEST(CloudRows, OfFilesWithLongHeaders) {
  const TemporaryFolder folder;
  const std::string comment = "comment " + std::string(100'000, 'c') + "\n";
  put_contents(folder.file("a.ply"), ply_with("little", comment + k_vertices, vertex_rows(false)));
  expect_every_way(folder.file("a.ply"), {});
  std::string properties = k_xyz;
  for (int c = 0; c < 4000; ++c) properties += "property uchar a_column_of_many_" + std::to_string(c) + "\n";
  put_contents(folder.file("b.ply"), binary_ply("3", std::string(3 * 4012, '\0'), properties));
  expect_every_way(folder.file("b.ply"), {});
  std::string fields = "[('x', '<f4'), ('y', '<f4')";
  for (int i = 0; i < 5000; ++i) fields += ", ('field_" + std::to_string(i) + "', '|u1')";
  put_contents(folder.file("a.npy"), npy(fields + "]", "False", "(3,)", std::string(3 * 5008, 'x'), 2));
  expect_every_way(folder.file("a.npy"), {});
}

/// With a first line that is longer than the head, or than a header may be.
TEST(CloudRows, OfWhatIsNoPlyAreRefusedInTheSameWords) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.ply");
  for (const std::string& bytes : {std::string(70'000, 'x') + '\0', std::string(2'000'000, 'x'),
                                   std::string(2'000'000, '\0'), "plyx" + std::string(2'000'000, '\n')}) {
    put_contents(file, bytes);
    const ReadOutcome got = expect_every_way(file, {});
    EXPECT_TRUE(got.error.starts_with("3: a.ply:1: ")) << got.error;
  }
}

TEST(CloudRows, SayWhatIsReadAsAWhole) {
  const TemporaryFolder folder;
  const auto obstacle = [&](const std::string& name, const std::string& bytes) {
    put_contents(folder.file(name), bytes);
    return open_rows(folder.file(name), {}).obstacle;
  };
  EXPECT_EQ(obstacle("a.pcd", pcd("binary_compressed", "1", compressed_body(lzf_literals(floats(3)), 12))),
            "compressed PCD");
  EXPECT_EQ(obstacle("a.ply", ply_with("little",
                                       "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                                       "property list uchar int i\n",
                                       floats(3) + '\0')),
            "PLY whose vertices have lists");
  EXPECT_EQ(obstacle("a.npz", zip({{"points.npy", npy("'<f4'", "False", "(1, 3)", floats(3)), 8}})),
            "a compressed array");
  EXPECT_EQ(open_rows("-", {}).obstacle, "a pipe");
}

TEST(CloudRows, WarnOfAnExtensionThatIsNotTheContent) {
  const TemporaryFolder folder;
  put_contents(folder.file("a.npy"), ply_with("little", k_vertices, vertex_rows(false)));
  expect_the_same(folder.file("a.npy"));
  EXPECT_EQ(open_rows(folder.file("a.npy"), {}).warnings.size(), 1);
}

TEST(CloudRows, OfFilesThatShrinkAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.file("long.npy");
  const std::string bytes = npy("[('x', '<f4'), ('c', '<i4'), ('y', '<f4')]", "False", "(100000,)", floats(300'000));
  put_contents(file, bytes);
  const RowCloud cloud = open_rows(file, {{.attributes = {"c"}}});
  std::filesystem::resize_file(file, 700'000);
  EXPECT_EQ(std::get<Array<std::int32_t>>(cloud.rows->read(50'000, 8'000).attributes[0].values).size(), 8'000);
  EXPECT_EQ(failure_of([&] { cloud.rows->read(50'000, 50'000); }),
            "3: " + file + ": the file shrank while it was read (got 700000 bytes, need " +
                std::to_string(bytes.size()) + ")");
}

/// Rows of a fixed size, as many as the head, the blocks of threads and the chunks of plain rows hold, and one more.
TEST(CloudRows, OfLargeFiles) {
  struct Large {
    std::string name, before, after;  ///< the coordinates of a row
    std::string (*file)(const std::string& count, const std::string& rows);
  };
  const auto rows_alone = [](const std::string&, const std::string& rows) { return rows; };
  const Large files[] = {
      {"a.ply", "", "", [](const std::string& n, const std::string& rows) { return binary_ply(n, rows); }},
      {"a.npy", "", "",
       [](const std::string& n, const std::string& rows) { return npy_array("'<f4'", "(" + n + ", 3)", rows); }},
      {"a.fbin", "", "",
       [](const std::string& n, const std::string& rows) { return bytes_of(std::stoi(n)) + bytes_of(3) + rows; }},
      {"a.fvecs", bytes_of(3), "", rows_alone},
      {"a.kitti", "", bytes_of(.5f), rows_alone},
      {"a.pcd", "i", "",
       [](const std::string& n, const std::string& rows) {
         return pcd("binary", n, rows, "FIELDS i x y z\nSIZE 1 4 4 4\nTYPE U F F F\nCOUNT 1 1 1 1\n");
       }},
      {"a.las", "", std::string(22, 'p'), [](const std::string& n, const std::string& rows) {
         LasParts parts{.format = 3, .record = 34, .points = {}, .scale = {1, 1, 1}, .offset = {0, 0, 0}};
         parts.count_32 = std::stoi(n);
         return las(parts) + rows;
       }}};
  const TemporaryFolder folder;
  constexpr std::size_t head = std::size_t{1} << 16, block = std::size_t{1} << 20, chunk = std::size_t{4} << 20;
  for (const Large& large : files)
    for (const std::size_t bytes : {head, block, 3 * block, chunk, head + chunk, 3 * chunk}) {
      const std::size_t record = 12 + large.before.size() + large.after.size();
      if (bytes >= chunk && record > 12) continue;
      const int most = static_cast<int>(bytes / record) + 1;
      std::string rows;
      for (int i = 0; i < most; ++i) {
        const auto x = static_cast<float>(i);
        rows +=
            large.before + (large.name == "a.las" ? bytes_of_all<int>({i, -i, 7}) : bytes_of_all<float>({x, -x, 7}));
        rows += large.after;
      }
      for (const int count : {most - 2, most - 1, most}) {
        const std::string path = folder.file(large.name);
        SCOPED_TRACE(path + " of " + std::to_string(count));
        put_contents(path, large.file(std::to_string(count), rows.substr(0, static_cast<std::size_t>(count) * record)));
        if (count == most) {
          EXPECT_EQ(expect_every_way(path, {{.all_attributes = true}}).error, "");
        }
        for (const int threads : {1, 2, 5}) {
          const Points points = read_points(path, {.threads = threads}).points;
          ASSERT_EQ(points.size(), count);
          for (int i = 0; i < count; ++i)
            ASSERT_TRUE(points.at(i, 0) == i && points.at(i, 1) == -i && points.at(i, 2) == 7) << i;
        }
      }
    }
}

const std::filesystem::path k_folder = KANN_SHARED_DATA;

class RealClouds : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(k_folder)) GTEST_SKIP() << k_folder << " is missing: no real clouds to read";
  }
};

Points read_shared(const std::string& name) { return read_points((k_folder / name).string()).points; }

TEST_F(RealClouds, HaveThePointsOfTheirNames) {
  int counted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    if (entry.path().extension() != ".ply" && entry.path().extension() != ".las") continue;
    EXPECT_EQ(expect_every_way(entry.path(), {}).error, "");
    EXPECT_EQ(expect_every_way(entry.path(), {{.all_attributes = true, .las_records = true}}).error, "");
    if (entry.path().extension() != ".ply") continue;
    const Cloud cloud = read_points(entry.path().string());
    EXPECT_TRUE(cloud.warnings.empty()) << entry.path();
    const std::string stem = entry.path().stem().string();
    EXPECT_EQ(is_float32(cloud.points), stem.find("_f64_") == std::string::npos) << stem;
    const std::string last = stem.substr(stem.rfind('_') + 1);
    if (last.find_first_not_of("0123456789") != std::string::npos) continue;
    EXPECT_EQ(std::to_string(cloud.points.size()), last) << stem;
    ++counted;
  }
  EXPECT_GE(counted, 8);
}

TEST_F(RealClouds, KinectFrameKeepsItsInvalidRows) {
  const Numbers c = coordinates_of(read_shared("rgbd_milk_scene_307200.ply"));
  int invalid = 0;
  for (std::size_t i = 0; i < c.size(); i += 3)
    invalid += std::isnan(c[i]) || std::isnan(c[i + 1]) || std::isnan(c[i + 2]);
  EXPECT_EQ(invalid, 65'793);
}

TEST_F(RealClouds, TheBunnyInAsciiWithFacesIsTheBunnyInBinary) {
  EXPECT_EQ(coordinates_of(read_shared("orig_bun_zipper_ascii_faces.ply")),
            coordinates_of(read_shared("bunny_35947.ply")));
}

TEST_F(RealClouds, AScalarFieldDoesNotMoveThePoints) {
  EXPECT_EQ(coordinates_of(read_shared("orig_lidar_spin_source_obj_info.ply")),
            coordinates_of(read_shared("lidar_spin_source_69792.ply")));
}

/// The PLY was written by another program.
TEST_F(RealClouds, AFlightInLasIsTheSameInPlyOfDoubles) {
  const Numbers las = coordinates_of(read_shared("orig_autzen_trim.las"));
  EXPECT_EQ(las.size(), 330'000u);
  EXPECT_TRUE(las == coordinates_of(read_shared("als_autzen_trim_f64_110000.ply")));
}

TEST(MadeClouds, AreTheSameInPlyAndNpy) {
  int pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KANN_DATA)) {
    std::filesystem::path npy = entry.path();
    if (entry.path().extension() != ".ply" || !std::filesystem::exists(npy.replace_extension(".npy"))) continue;
    const Points from_ply = read_points(entry.path().string()).points;
    const Points from_npy = read_points(npy.string()).points;
    EXPECT_EQ(from_ply.dimensions, from_npy.dimensions) << npy;
    EXPECT_EQ(coordinates_of(from_ply), coordinates_of(from_npy)) << npy;
    ++pairs;
  }
  EXPECT_GT(pairs, 0);
}

}  // namespace
}  // namespace kann::formats
