// --group and --other-group, as a user runs them.
#include <algorithm>
#include <fmt/format.h>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class GroupsProgramTest : public ProgramTest {
 protected:
  GroupsProgramTest() : ProgramTest("--device cpu --force --data data.csv -o - --output-format csv") {
    write_file("data.csv", "x,y,class,name\n0,0,1,oak\n1,0,2,ash\n2,0,1,\n3,0,2,oak\n4,0,1,ash\n");
    write_file("q.csv", "x,y,class,name\n0.4,0,2,ash\n2.9,0,1.0,oak\n0,0,7,elm\n");
  }
};

const std::string k_head = "query,rank,id,distance\n";

TEST_F(GroupsProgramTest, FindTheNearestOfTheSameClass) {
  const Outcome o = succeeds("--query q.csv --group class -k 2 --report r.json");
  EXPECT_EQ(o.out, k_head + "0,0,1,0.6\n0,1,3,2.6\n1,0,2,0.9\n1,1,4,1.1\n2,0,-1,inf\n2,1,-1,inf\n");
  EXPECT_TRUE(has(o.err,
                  "kann: warning: 1 of 3 queries have fewer than k=2 neighbours in their group; missing ones are id "
                  "-1, distance inf\n"));
  const json report = json_of("r.json");
  EXPECT_TRUE(has(o.err, "; exact, within the same 'class'"));
  EXPECT_EQ(report["group"], "class");
  EXPECT_EQ(report["method"], "exact");
}

TEST_F(GroupsProgramTest, FindTheNearestOfAnotherClass) {
  EXPECT_EQ(written("--other-group class -k 1"), k_head + "0,0,1,1\n1,0,0,1\n2,0,1,1\n3,0,2,1\n4,0,3,1\n");
  EXPECT_EQ(written("--query q.csv --other-group class -k 1"), k_head + "0,0,0,0.4\n1,0,3,0.1\n2,0,0,0\n");
}

TEST_F(GroupsProgramTest, FindTheNearestOfAnotherClassInTheSameFrame) {
  write_file("frames.csv", "x,y,frame,kind\n0,0,1,a\n1,0,1,a\n2,0,1,b\n0.1,0,2,b\n5,0,2,a\n7,0,3,a\n6,0,,b\n");
  const std::string both = "--data frames.csv --group frame --other-group kind ";
  const std::string rows = k_head + "0,0,2,2\n1,0,2,1\n2,0,1,1\n3,0,4,4.9\n4,0,3,4.9\n5,0,-1,inf\n6,0,-1,inf\n";
  const Outcome o = succeeds(both + "-k 1 --verify --report r.json");
  EXPECT_EQ(o.out, rows);
  EXPECT_TRUE(has(o.err, "; exact, within the same 'frame', in another 'kind'")) << o.err;
  EXPECT_TRUE(has(o.err, "frames.csv: 1 of 7 points have no 'frame'")) << o.err;
  EXPECT_EQ(json_of("r.json")["group"], "frame");
  EXPECT_EQ(json_of("r.json")["other_group"], "kind");
  EXPECT_EQ(written(both + "-k all --radius 2 --pairs half"), k_head + "0,0,2,2\n1,0,2,1\n");
  EXPECT_EQ(written(both + "--query frames.csv -k 1"), rows);
  EXPECT_EQ(run("frames.csv --group frame --other-group kind -k 1 -o both.npz").exit_code, 0);
  EXPECT_EQ(run("check both.npz").out, "both.npz: passed\n");
}

/// A text without letters is no group.
TEST_F(GroupsProgramTest, TakeText) {
  EXPECT_EQ(written("--group name -k 1"), k_head + "0,0,3,3\n1,0,4,3\n2,0,-1,inf\n3,0,0,3\n4,0,1,3\n");
  EXPECT_EQ(written("--query q.csv --group name -k 1"), k_head + "0,0,1,0.6\n1,0,3,0.1\n2,0,-1,inf\n");
}

/// What is missing in a column of numbers is missing in one of text.
TEST_F(GroupsProgramTest, NumbersBesideWordsAreWords) {
  write_file("cells.csv", "x,y,cell\n0,0,12\n1,0,UNASSIGNED\n2,0,7\n");
  write_file("some.csv", "x,y,cell\n1.9,0,12\n0,1,7\n");
  EXPECT_EQ(written("--data cells.csv --query some.csv --group cell -k1"), k_head + "0,0,0,1.9\n1,0,2,2.236068\n");
}

TEST_F(GroupsProgramTest, WhatIsMissingIsNoGroup) {
  write_file("kinds.csv", "x,y,kind\n0,0,NA\n1,0,NA\n2,0,null\n3,0,NULL\n4,0,NaN\n5,0,\n6,0,none\n7,0,none\n");
  expect_refused("--data kinds.csv --query q.csv --group kind -k 1", 3,
                 "q.csv: no column 'kind' (it has x, y, class, name)");
  const Outcome own = succeeds("--data kinds.csv --group kind -k 1");
  EXPECT_TRUE(has(own.err,
                  "kann: warning: kinds.csv: 6 of 8 points have no 'kind' (empty, NA, null or NaN): they have no "
                  "neighbours, and are none\n"));
  EXPECT_EQ(own.out, k_head +
                         "0,0,-1,inf\n1,0,-1,inf\n2,0,-1,inf\n3,0,-1,inf\n4,0,-1,inf\n"
                         "5,0,-1,inf\n6,0,7,1\n7,0,6,1\n");
  const Outcome others =
      run("--device cpu --data kinds.csv --query kinds.csv --other-group kind -k all --radius 9 --stats");
  EXPECT_EQ(count_in(others), "0");
  EXPECT_EQ(std::ranges::count(others.err, '\n'), 2) << "both clouds are one file, and the summary: " << others.err;
}

TEST_F(GroupsProgramTest, AreVerifiedAndCompared) {
  for (const std::string rule : {"--group", "--other-group"}) {
    const std::string search = "--query q.csv -k 2 --output-format npz -o ", result = rule.substr(2) + ".npz";
    const std::string by_class = search + result + " " + rule + " class";
    const Outcome verified = succeeds(by_class + " --verify --min-recall 1");
    EXPECT_TRUE(has(verified.err, "3 of 3 queries against exact rows (double): recall 1.0000"));
    EXPECT_TRUE(has(verified.err, " 3 identical;"));
    succeeds(by_class + " -o nn.npz --min-recall 1 --compare " + result);
    expect_refused(search + "nn.npz --compare " + result, 3,
                   fmt::format("{}: a result with another {} (got class, need none)", result, rule));
  }
  expect_refused("--query q.csv --group name -k 2 --compare group.npz", 3,
                 "group.npz: a result with another --group (got class, need name)");
  expect_refused("--query q.csv --group class -k 2 --compare other-group.npz", 3,
                 "other-group.npz: a result with another --group (got none, need class)");
}

/// The nearest of each query in its group, and of each data point.
TEST_F(GroupsProgramTest, FindMutualPairs) {
  EXPECT_EQ(written("--query q.csv --group class --match mutual"), k_head + "0,0,1,0.6\n1,0,2,0.9\n2,0,-1,inf\n");
  EXPECT_EQ(written("--query q.csv --other-group class --match mutual"), k_head + "0,0,-1,inf\n1,0,3,0.1\n2,0,0,0\n");
  EXPECT_EQ(written("--group class --match mutual"), k_head + "0,0,2,2\n1,0,3,2\n2,0,0,2\n3,0,1,2\n4,0,-1,inf\n");
}

/// Whole numbers of one file are those of floats of the other. An empty column has no numbers.
TEST_F(GroupsProgramTest, CompareNumbersByTheirValues) {
  write_file("whole.csv", "x,y,g\n0,0,-4\n1,0,5\n2,0,3\n");
  write_file("real.csv", "x,y,g\n0,0,-4.0\n0,0,3.5\n0,0,3.0\n");
  write_file("empty.csv", "x,y,name\n0,0,\n");
  const auto rows = [&](const std::string& data, const std::string& query, const std::string& group) {
    return written("--data " + data + " --query " + query + " --group " + group + " -k 1 -q");
  };
  EXPECT_EQ(rows("whole.csv", "real.csv", "g"), k_head + "0,0,0,0\n1,0,-1,inf\n2,0,2,2\n");
  EXPECT_EQ(rows("data.csv", "empty.csv", "name"), k_head + "0,0,-1,inf\n");
}

/// The picture shows the attribute that it names, not the group.
TEST_F(GroupsProgramTest, LeaveThePictureItsAttribute) {
  write_file("p.csv", "h,g,x,y\n1,1,0,0\n50,2,1,0\n99,1,0,1\n7,2,1,1\n");
  const auto draw = [&](const std::string& name, const std::string& more) {
    EXPECT_EQ(run("--device cpu --data p.csv -k 1 --picture " + name + " --picture-by h -q " + more).exit_code, 0);
    return read_file(name);
  };
  EXPECT_TRUE(draw("with.png", "--group g") == draw("without.png", ""));
}

TEST_F(GroupsProgramTest, ListAllWithinARadius) {
  EXPECT_EQ(written("--group class -k all --radius 2"),
            k_head + "0,0,2,2\n1,0,3,2\n2,0,0,2\n2,1,4,2\n3,0,1,2\n4,0,2,2\n");
  EXPECT_EQ(written("--group class -k all --radius 2 --pairs half"), k_head + "0,0,2,2\n1,0,3,2\n2,0,4,2\n");
  const auto count = [&](const std::string& rule, const std::string& pairs) {
    return count_in(run("--device cpu --data data.csv -k all --radius 1 " + rule + " class --stats --pairs " + pairs));
  };
  EXPECT_EQ(count("--other-group", "both"), "8");
  EXPECT_EQ(count("--other-group", "half"), "4");
  EXPECT_EQ(count("--group", "both"), "0");
}

TEST_F(GroupsProgramTest, GoWithOtherProducts) {
  EXPECT_TRUE(begins(written("--query q.csv --group class --join inner"), "query_x,"));
  succeeds("--query q.csv --group class -k 1 --transfer class");
}

/// The different texts of a column stay in memory.
TEST_F(GroupsProgramTest, TextsCountToTheMemory) {
  const auto with_texts_of = [&](std::size_t letters) {
    std::string lines = "x,y,kind\n";
    for (int i = 0; i < 20000; ++i)
      lines += fmt::format("{},{},{}{}\n", i % 141, i / 141, std::string(letters, 'a'), i);
    write_file("texts.csv", lines);
    return run("--device cpu --data texts.csv --other-group kind -k 1 --max-memory 30MB --force -o nn.npz");
  };
  EXPECT_EQ(with_texts_of(1).exit_code, 0);
  const Outcome large = with_texts_of(1500);
  EXPECT_EQ(large.exit_code, 4) << large.err;
  EXPECT_TRUE(has(large.err, "; --other-group is not made in tiles\n"));
}

TEST_F(GroupsProgramTest, RefuseWhatDoesNotGoTogether) {
  expect_refused("--group class --other-group class", 2,
                 "--other-group class: no point has the same 'class', as --group asks, and another one");
  expect_refused("--group ''", 2, "--group expects the name of an attribute, got ''");
  expect_refused("--group class --grid 1", 2, "--grid does not go with --group: its cells have no attributes");
  expect_refused("--group colour", 3, "data.csv: no column 'colour' (it has x, y, class, name)");
  write_file("text.csv", "x,y,class\n0,0,007\n");
  expect_refused("--query text.csv --group class", 3,
                 "text.csv: 'class' is text in one of the clouds, and numbers in the other");
  std::string labelled = "x,y,z,c\n";
  for (int i = 0; i < 40000; ++i) labelled += "1," + std::to_string(i) + ",3,5\n";
  write_file("big.csv", labelled);
  const Outcome large = run("--device cpu --data big.csv --group c --max-memory 16MB");
  EXPECT_EQ(large.exit_code, 4) << large.err;
  EXPECT_TRUE(has(large.err, "; --group is not made in tiles\n"));
}

}  // namespace
}  // namespace kann::test
