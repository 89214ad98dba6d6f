// --plan refuses what the run refuses, in the same words.
#include <unistd.h>

#include "formats/las/laz.hpp"
#include "plan_fixture.hpp"

namespace kann::test {
namespace {

class PlanRefusals : public PlanTest {
 protected:
  /// What becomes of the plan, and of the run.
  Outcome refused(const std::string& command) const {
    const Outcome plan = run(command + " --plan"), done = run(command);
    EXPECT_EQ(plan.exit_code, done.exit_code) << command;
    EXPECT_EQ(plan.err, done.err);
    return plan;
  }
};

/// What the run would refuse is refused.
TEST_F(PlanRefusals, RefusesWhatTheRunRefuses) {
  write_file("cut.ply", read_file("p.ply").substr(0, 50));
  write_file("empty.ply", "");
  EXPECT_EQ(refused("nope.ply").exit_code, 3);
  EXPECT_EQ(refused("cut.ply").exit_code, 3);
  EXPECT_EQ(refused("empty.ply").exit_code, 3);
  EXPECT_EQ(refused("p.ply -o p.ply --force").exit_code, 2);
  EXPECT_EQ(refused("p.ply --max-memory 1M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --method shifted-sort --max-memory 17M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --group x --max-memory 14M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --group nope").exit_code, 3);
  EXPECT_EQ(refused("p.ply --sky").exit_code, 3);
  EXPECT_EQ(refused("p.ply --periodic 1,1").exit_code, 2);
  for (const std::string more : {"", " --plan"})  // the memory that the message names changes
    EXPECT_EQ(run("p.ply -k 5000000000" + more).exit_code, 4);
}

TEST_F(PlanRefusals, ProtectsFilesFromReportsAsTheRunDoes) {
  EXPECT_EQ(refused("p.ply -o o.npz --report p.ply").err,
            "kann: error: p.ply: is the input p.ply; choose another --report\n");
  EXPECT_EQ(refused("p.ply -o o.npz --report no/r.json").err,
            "kann: error: no/r.json: No such file or directory; make the folder no first\n");
  EXPECT_EQ(run("p.ply --query q.ply u.ply -o new/ --report r.json --plan").exit_code, 0);
  EXPECT_EQ(files(), (Names{"p.ply", "q.ply", "u.ply"}));
}

/// Neither makes a folder that is missing, but for one that ends with a slash.
TEST_F(PlanRefusals, RefusesOutputsAsTheRunDoes) {
  const auto refusal = [&](const std::string& more) {
    return refused("u.ply -k1 --device cpu --threads 1 " + more).err;
  };
  write_file("file", "");
  write_file("empty.npz", "");
  std::filesystem::create_directory(path("folder.png"));
  const std::string missing = ": No such file or directory; make the folder no first\n";
  const std::string in_tiles = " --max-memory 18M";
  EXPECT_EQ(refusal("-o no/o.npz"), "kann: error: no/o.npz" + missing);
  EXPECT_EQ(refusal("--picture no/p.png --max-memory 1M"), "kann: error: no/p.png" + missing);
  EXPECT_EQ(refusal("--html no/p.html"), "kann: error: no/p.html" + missing);
  EXPECT_EQ(refusal("-o file/o.npz"), "kann: error: file/o.npz: Not a directory\n");
  EXPECT_EQ(refusal("--picture folder.png"), "kann: error: folder.png: Is a directory\n");
  EXPECT_EQ(refusal("--compare nope.npz"), "kann: error: nope.npz: No such file or directory\n");
  EXPECT_EQ(refusal("--compare empty.npz"),
            "kann: error: empty.npz: no directory at the end of the archive: the file is cut off or no ZIP\n");
  EXPECT_EQ(refusal("--temp-folder no" + in_tiles),
            "kann: error: no: No such file or directory; --temp-folder takes another folder\n");
  EXPECT_EQ(refusal("--temp-folder file" + in_tiles),
            "kann: error: file: Not a directory; --temp-folder takes another folder\n");
  if (!formats::has_laszip()) {
    EXPECT_EQ(refusal("-o o.laz"), "kann: error: o.laz: LAZ is not written, as this build has no LASzip; write las\n");
  }
  if (geteuid() != 0) {
    std::filesystem::create_directory(path("closed"));
    std::filesystem::permissions(path("closed"), std::filesystem::perms::owner_read);
    EXPECT_EQ(refusal("-o closed/o.npz"), "kann: error: closed/o.npz: Permission denied\n");
    EXPECT_EQ(refusal("-o closed/new/"), "kann: error: closed/new: Permission denied\n");
    EXPECT_EQ(refusal("--temp-folder closed" + in_tiles),
              "kann: error: closed: Permission denied; --temp-folder takes another folder\n");
  }
  for (const std::string& more : {std::string(), in_tiles})
    EXPECT_EQ(run("u.ply -k1 --device cpu -o new/sub/ --plan" + more).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

/// The first rows of a text tell its columns, and so does the header of a cloud whose points are read as a whole.
TEST_F(PlanRefusals, RefusesColumnsAsTheRunDoes) {
  const auto refusal = [&](const std::string& command) {
    const std::string message = refused(command).err;
    return message.substr(0, message.find(';'));
  };
  write_file("t.csv", "x,y,z,kind,v\n0,0,0,oak,1\n1,1,1,elm,2\n");
  write_file("stars.csv", "id,ra,dec\n1,10,20\n2,11,21\n");
  write_file("four.xyz", "1 2 3 4\n5 6 7 8\n");
  write_file("short.csv", "x,y,z\n0,0,0\n1\n");
  write_file("flat.csv", "x,y\n0,0\n1,1\n");
  write_file("a.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
             "property list uchar int l\nend_header\n1 2 3 1 4\n");
  write_file("a.pcd",
             "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n"
             "DATA ascii\n1 2 3\n");
  EXPECT_EQ(refusal("t.csv --group kin"), "kann: error: t.csv: no column 'kin' (it has x, y, z, kind, v)");
  EXPECT_EQ(refusal("t.csv --columns a,b"), "kann: error: t.csv: --columns: no column 'a'");
  EXPECT_EQ(refusal("t.csv --transfer kind -o o.npz"), "kann: error: t.csv:2: column 4 is not a number: 'oak'");
  EXPECT_EQ(refusal("t.csv --transfer v,5 -o o.npz"),
            "kann: error: t.csv: --transfer: 'v' and '5' are the same attribute\n");
  EXPECT_TRUE(refusal("t.csv --picture-by nope --picture p.png").starts_with("kann: error: t.csv: no column 'nope'"));
  EXPECT_EQ(refusal("stars.csv"),
            "kann: error: stars.csv: 'ra' and 'dec' are angles, and distances are those of a plane");
  EXPECT_EQ(refusal("p.ply --query flat.csv"), "kann: error: flat.csv: points have 2 coordinates (p.ply has 3)");
  EXPECT_TRUE(refusal("flat.csv --features normals")
                  .starts_with("kann: error: flat.csv: points of 2 coordinates have no shapes in"));
  EXPECT_EQ(refusal("four.xyz"), "kann: error: four.xyz:1: row has 4 columns without names");
  EXPECT_EQ(refusal("short.csv"), "kann: error: short.csv:3: row has 1 column (need 3, as in the header in line 1)\n");
  EXPECT_EQ(refusal("a.ply --group l"), "kann: error: a.ply: property 'l' is a list");
  EXPECT_TRUE(refusal("a.pcd --group l").starts_with("kann: error: a.pcd: no field 'l'"));
  EXPECT_EQ(run("t.csv --group kind --plan").exit_code, 0);
  EXPECT_EQ(run("stars.csv --sky --plan").exit_code, 0);
}

/// The message of a run, which has read what is before an element, may count fewer bytes for it.
TEST_F(PlanRefusals, CountsThatTheFileCannotHold) {
  const std::string many = "9223372036854775807", fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
  const auto pcd = [&](const std::string& points, const std::string& data) {
    return "VERSION .7\n" + fields + "WIDTH " + points + "\nHEIGHT 1\nPOINTS " + points + "\nDATA " + data;
  };
  const auto ply = [](const std::string& format, const std::string& elements, const std::string& body) {
    return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n" + body;
  };
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n",
                    list = "property list uchar int v\n";
  write_file("a.pcd", pcd(many, "ascii\n1 2 3\n"));
  write_file("sizes.pcd", pcd("2147483648", "binary_compressed\n" + std::string(600, '\0')));
  write_file("ratio.pcd", pcd("300000000", "binary_compressed\n" + std::string("\xf4\1\0\0\0\xa4\x93\xd6", 8) +
                                               std::string(500, '\0')));
  write_file("short.pcd", pcd("2", "binary_compressed\nabc"));
  write_file("a.ply", ply("ascii", "element vertex 1099511627776\n" + xyz, "1 2 3\n"));
  write_file("lists.ply",
             ply("binary_little_endian", "element vertex 1099511627776\n" + xyz + list, std::string(13, '\0')));
  write_file("faces.ply", ply("ascii", "element vertex 1\n" + xyz + "element face 1099511627776\n" + list, "1 2 3\n"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a.pcd", ": point count " + many + " needs at least 55340232221128654841 bytes, file holds 6"},
      {"sizes.pcd", "@byte 129: point count 2147483648 needs 25769803776 decompressed bytes, the file says 0"},
      {"ratio.pcd", ": 500 bytes of LZF cannot hold 3600000000"},
      {"short.pcd", ": the sizes of the points need 8 bytes, file holds 3"},
      {"a.ply", ": vertex count 1099511627776 needs at least 6597069766655 bytes, file holds 6"},
      {"lists.ply", ": vertex count 1099511627776 needs at least 14293651161088 bytes, file holds 13"}};
  for (const std::string more : {"", " --max-memory 60M --device cpu"})
    for (const auto& [name, message] : cases) {
      const Outcome o = refused(name + more);
      EXPECT_EQ(o.exit_code, 3) << name;
      EXPECT_EQ(o.err, "kann: error: " + name + message + "\n");
    }
  const Outcome faces = run("faces.ply --plan");
  EXPECT_EQ(faces.exit_code, run("faces.ply").exit_code);
  EXPECT_EQ(faces.err,
            "kann: error: faces.ply: face count 1099511627776 needs at least 2199023255551 bytes, file holds 1\n");
}

}  // namespace
}  // namespace kann::test
