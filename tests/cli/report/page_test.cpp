// --html of the program: a page of each run, whatever comes of it, that never replaces another file.
#include <chrono>
#include <filesystem>
#include <thread>

#include "../run_kann.hpp"

namespace kann::test {
namespace {

class PageTest : public ProgramTest {
 protected:
  PageTest() : ProgramTest("--data p.xyz --device cpu -k 2") {
    write_cloud("p.xyz", 300, 1);
    write_cloud("q.xyz", 200, 2);
  }

  testing::AssertionResult page_has(const std::string& text) const { return has(read_file("page.html"), text); }
};

TEST_F(PageTest, ShowsARun) {
  EXPECT_EQ(written("--query q.xyz --html page.html --verify -o nn.npz"), "nn.npz\n");
  for (const char* const part :
       {"<h1>q.xyz among p.xyz</h1>", "<p><span class=\"verdict good\">Done</span>",
        "200 queries x 2 neighbours among 300 points on CPU",
        "<td>rows with the ids of brute force</td><td><span class=\"verdict good\">passed</span></td><td>100 %</td>",
        "<tr><th>output</th><td>nn.npz</td></tr>", "data:image/png;base64,iVBORw0KGgo", "<svg ",
        "<td class=\"number\">2</td><td class=\"number\">200</td>",
        "<pre>kann --data p.xyz --device cpu -k 2 --query q.xyz --html page.html --verify -o nn.npz\n",
        "&quot;timing_s&quot;", "</body></html>\n"})
    EXPECT_TRUE(page_has(part));
  EXPECT_FALSE(page_has("Warnings"));
}

/// The command is one that a shell reads as the same words.
TEST_F(PageTest, QuotesWordsOfTheCommand) {
  write_cloud("it's a.xyz", 20, 3);
  ASSERT_EQ(run("--data \"it's a.xyz\" --device cpu --html page.html").exit_code, 0);
  EXPECT_TRUE(page_has("<pre>kann --data 'it'\\''s a.xyz' --device cpu --html page.html\n"));
}

TEST_F(PageTest, ShowsWhatFails) {
  EXPECT_EQ(kann("--query no<pe.xyz --html page.html").exit_code, 3);
  EXPECT_TRUE(page_has("bad\">Failed</span>: no&lt;pe.xyz: No such file or directory"));
  std::filesystem::remove(path("page.html"));
  EXPECT_EQ(kann("--html page.html --ouput x").exit_code, 2);
  EXPECT_TRUE(page_has("unknown option '--ouput'"));
  error_of("--html page.html --method shifted-sort --shifts 1 --window 2 --min-recall 1 --force", 1);
  EXPECT_TRUE(page_has("bad\">A check has failed</span>: recall 0."));
  EXPECT_TRUE(page_has("recall against exact rows</td><td><span class=\"verdict bad\">failed</span></td>"));
  EXPECT_TRUE(page_has("<h2>Warnings</h2>"));
}

TEST_F(PageTest, ShowsNamesThatAreNoText) {
  write_cloud("a<b\xff.xyz", 20, 3);
  ASSERT_EQ(run("--data a<b\xff.xyz --html page.html").exit_code, 0);
  EXPECT_TRUE(page_has("<h1>a&lt;b\\xff.xyz</h1>"));
  EXPECT_FALSE(page_has("as a file of --config"));
}

TEST_F(PageTest, MeasuresAreNoVerdict) {
  succeeds("--html page.html --method shifted-sort --verify");
  EXPECT_TRUE(page_has("other\">measured</span></td>"));
}

TEST_F(PageTest, ReplacesAFileWithForceAlone) {
  succeeds("--html page.html");
  const std::string first = read_file("page.html");
  expect_refused("--html page.html --stats", 2, "page.html: File exists; use --force to replace it");
  EXPECT_EQ(read_file("page.html"), first);
  EXPECT_EQ(kann("--html page.html --data nope.xyz --force").exit_code, 3);
  EXPECT_NE(read_file("page.html"), first);
  expect_refused("--html page.txt", 2, "--html expects a file that ends with .html, got 'page.txt'");
}

TEST_F(PageTest, GoesBesideTheReport) {
  EXPECT_EQ(error_of("--html both.html --report both.html", 2),
            "kann: error: both.html: is that of --report too; choose another --html\n");
  succeeds("--html page.html --report r.json --force");
  EXPECT_TRUE(page_has("<h1>p.xyz</h1>"));
  EXPECT_TRUE(begins(read_file("r.json"), "{"));
  std::filesystem::create_directory(path("folder.html"));
  error_of("--html folder.html --report new.json", 4);
  EXPECT_TRUE(has(read_file("new.json"), "folder.html: Is a directory"));  // the report tells why there is no page
}

TEST_F(PageTest, PictureOptionsAreThoseOfThePage) {
  succeeds("--html page.html --view top --picture-size 64");
  EXPECT_EQ(kann("--view top --force").exit_code, 2);
}

/// Where rows have any length, no statistics are made.
TEST_F(PageTest, ShowsListsWithoutStatistics) {
  ASSERT_EQ(run("--data p.xyz -k all --radius 0.1 --html page.html").exit_code, 0);
  EXPECT_TRUE(page_has("neighbours within 0.1 among 300 points"));
  EXPECT_TRUE(page_has("<img"));
  EXPECT_FALSE(page_has("<h2>Distances"));
}

TEST_F(PageTest, SmallestClouds) {
  for (const char* const points : {"", "1 2 3\n", "1 2 3\n1 2 3\n"}) {
    write_file("few.xyz", points);
    const Outcome o = run("--data few.xyz --html page.html --force");
    EXPECT_TRUE(o.exit_code == 0 || *points == '\0') << o.err;
    EXPECT_TRUE(page_has("</body></html>\n"));
  }
}

TEST_F(PageTest, OfABatchHasItsJobs) {
  write_file("jobs.txt", "p.xyz\tq.xyz\ta.npz\np.xyz\tnope.xyz\tb.npz\nq.xyz\t\tc.npz\n");
  const Outcome o = run("--jobs jobs.txt --html page.html --verify 9 --device cpu");
  EXPECT_EQ(o.exit_code, 3) << o.err;
  for (const char* const part : {"<h1>Jobs of jobs.txt</h1>",
                                 "<td class=\"number\">1</td><td><span class=\"verdict good\">done</span></td><td>p.xyz"
                                 "</td><td>q.xyz</td><td class=\"number\">300</td><td class=\"number\">200</td>",
                                 "failed</span> nope.xyz: No such file", "<td>c.npz</td></tr>",
                                 "verdict bad\">batch: 2 done, 0 skipped, 1 failed"})
    EXPECT_TRUE(page_has(part));
  EXPECT_TRUE(ends(read_file("page.html"), "</body></html>\n"));
  const Outcome again = run("--jobs jobs.txt --html page.html --skip-existing --device cpu");
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_TRUE(page_has("other\">skipped</span>"));
}

/// The jobs that have failed are the first rows.
TEST_F(PageTest, OfABatchShowsFailuresFirst) {
  ASSERT_EQ(run("--data p.xyz --query q.xyz nope.xyz --html page.html").exit_code, 3);
  EXPECT_LT(read_file("page.html").find("nope.xyz</td>"), read_file("page.html").find("q.xyz</td>"));
}

/// The page of a batch that is killed says so.
TEST_F(PageTest, OfABatchIsThereFromTheStart) {
  const pid_t pid = start("--jobs - --html page.html --device cpu -k 2");
  send("p.xyz\tq.xyz\ta.npz\n");
  for (int tenths = 0; tenths < 300 && !std::filesystem::exists(path("a.npz")); ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(page_has("the run has not ended, or it was killed"));
  end_input();
  EXPECT_EQ(finish(pid).exit_code, 0);
  EXPECT_TRUE(page_has("verdict good\">batch: 1 done"));
  EXPECT_TRUE(page_has("<td>a.npz</td></tr>"));
}

}  // namespace
}  // namespace kann::test
