// Command lines, and the options that they give.
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, DefaultsAreThoseOfTheContract) {
  const Options o = parse({"--data", "pts.ply", "--query", "dir/q.ply"});
  EXPECT_EQ(o.action, Action::search);
  EXPECT_EQ(o.data, "pts.ply");
  EXPECT_EQ(o.query, "dir/q.ply");
  EXPECT_EQ(o.output, "q.knn.npz");
  EXPECT_EQ(o.output_format, NeighborFormat::npz);
  EXPECT_EQ(o.search.k, 8);
  EXPECT_EQ(o.search.device.kind, DeviceKind::automatic);
  EXPECT_EQ(o.search.method, Method::exact);
  EXPECT_EQ(o.search.invalid, InvalidPoints::error);
  EXPECT_EQ(o.search.threads, 0);
  EXPECT_FALSE(o.search.shifts || o.search.window || o.search.radius || o.min_recall || o.report);
  EXPECT_FALSE(o.search.include_self || o.force || o.json || o.verify || o.quiet || o.verbose || o.self_query());
  EXPECT_EQ(o.progress, When::automatic);
  EXPECT_EQ(o.color, When::automatic);
}

TEST_F(OptionsTest, EveryOptionSetsItsField) {
  const Options o = parse({"--data",
                           "-",
                           "--data-format",
                           "xyz",
                           "--query",
                           "q",
                           "--query-format",
                           "npy",
                           "--invalid",
                           "skip",
                           "--k",
                           "16",
                           "--method",
                           "paper",
                           "--shifts",
                           "7",
                           "--window",
                           "16",
                           "--device",
                           "cuda:2",
                           "--threads",
                           "6",
                           "-o",
                           "x.dat",
                           "--output-format",
                           "ibin",
                           "--force",
                           "--json",
                           "--report",
                           "r.json",
                           "--verify",
                           "100",
                           "--min-recall",
                           "0.9",
                           "-v",
                           "--progress",
                           "never",
                           "--color",
                           "always",
                           "--include-self"});
  EXPECT_EQ(o.data_format, PointFormat::text);
  EXPECT_EQ(o.query_format, PointFormat::npy);
  EXPECT_EQ(o.search.invalid, InvalidPoints::skip);
  EXPECT_EQ(o.search.k, 16);
  EXPECT_EQ(o.search.shifts, 7);
  EXPECT_EQ(o.search.window, 16);
  EXPECT_EQ(o.search.device.kind, DeviceKind::cuda);
  EXPECT_EQ(o.search.device.index, 2);
  EXPECT_EQ(o.search.threads, 6);
  EXPECT_EQ(o.search.method, Method::paper);
  EXPECT_EQ(o.output, "x.dat");
  EXPECT_EQ(o.output_format, NeighborFormat::ibin);
  EXPECT_EQ(o.report, "r.json");
  EXPECT_EQ(o.verify_sample, 100);
  EXPECT_EQ(o.min_recall, 0.9);
  EXPECT_EQ(o.progress, When::never);
  EXPECT_EQ(o.color, When::always);
  EXPECT_TRUE(o.force && o.json && o.verify && o.verbose && o.search.include_self);
}

TEST_F(OptionsTest, SpellingsOfOneValueAgree) {
  for (const std::vector<const char*>& k : std::vector<std::vector<const char*>>{{"--k", "5"},
                                                                                 {"--k=5"},
                                                                                 {"-k", "5"},
                                                                                 {"-k5"},
                                                                                 {"-k=5"},
                                                                                 {"--k", "3", "-k5"},
                                                                                 {"-k", "abc", "--k=5"},
                                                                                 {"-qk5"}}) {
    std::vector<const char*> before = k, after = {"--data", "a.ply"};
    before.insert(before.end(), after.begin(), after.end());
    after.insert(after.end(), k.begin(), k.end());
    EXPECT_EQ(parse(before).search.k, 5) << k[0];
    EXPECT_EQ(parse(after).search.k, 5) << k[0];
  }
}

TEST_F(OptionsTest, ExactIsShortForItsMethod) {
  EXPECT_EQ(parse({"--data", "a.ply", "--exact"}).search.method, Method::exact);
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "exact"}).search.method, Method::exact);
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "exact", "--exact"}).search.method, Method::exact);
  EXPECT_EQ(parse({"--exact", "--data", "a.ply", "--exact"}).search.method, Method::exact);
}

TEST_F(OptionsTest, TheAnswerIsExactForEveryK) {
  for (const char* k : {"1", "8", "9", "16", "17", "32", "33", "100"})
    EXPECT_EQ(parse({"--data", "a.ply", "-k", k}).search.method, Method::exact) << k;
}

TEST_F(OptionsTest, TheLastOfMethodAndExactCounts) {
  for (const std::vector<const char*>& exact :
       std::vector<std::vector<const char*>>{{"--method", "shifted-sort", "--exact"},
                                             {"--method=shifted-sort", "--exact"},
                                             {"--exact", "--method=exact"}})
    EXPECT_EQ(parse(with_data(exact)).search.method, Method::exact) << exact[0];
  for (const std::vector<const char*>& sort : std::vector<std::vector<const char*>>{
           {"--exact", "--method", "shifted-sort"}, {"--method", "exact", "--exact", "--method=shifted-sort"}}) {
    EXPECT_EQ(parse(with_data(sort)).search.method, Method::shifted_sort) << sort[0];
    std::vector<const char*> with_shifts = sort;
    with_shifts.insert(with_shifts.end(), {"--shifts", "5"});
    EXPECT_EQ(parse(with_data(with_shifts)).search.shifts, 5) << sort[0];
  }
}

TEST_F(OptionsTest, VerifyTakesANumberOrNothing) {
  EXPECT_EQ(parse({"--verify", "--data", "a.ply"}).verify_sample, 0);
  EXPECT_EQ(parse({"--data", "a.ply", "--verify"}).verify_sample, 0);
  EXPECT_EQ(parse({"--data", "a.ply", "--verify=7"}).verify_sample, 7);
  EXPECT_EQ(parse({"--data", "a.ply", "--verify", "7", "--verify"}).verify_sample, 0);
  EXPECT_EQ(parse({"--data", "a.ply", "--verify", "all"}).verify_sample, 0);
  for (const char* text : {"0", "-1", "1.5", "1e4", "10,000", "10_000", ""})
    EXPECT_EQ(message({"--data", "a.ply", "--verify", text}),
              "--verify expects a whole number of at least 1, got '" + std::string(text) + "'");
}

/// Words without a dash are the data and then the queries, wherever they stand.
TEST_F(OptionsTest, WordsAreClouds) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"m.ply", "q.ply"},
                                             {"-k3", "m.ply", "q.ply"},
                                             {"m.ply", "-k", "3", "q.ply"},
                                             {"--verify", "m.ply", "q.ply"},
                                             {"m.ply", "--verify", "q.ply"},
                                             {"--verify", "7", "m.ply", "q.ply"},
                                             {"--min-recall", "1", "m.ply", "q.ply"},
                                             {"--stats", "m.ply", "q.ply"},
                                             {"m.ply", "--query", "q.ply"},
                                             {"--", "m.ply", "q.ply"}}) {
    const Options o = parse(words);
    EXPECT_EQ(o.data, "m.ply") << words[0];
    EXPECT_EQ(o.query, "q.ply") << words[0];
    EXPECT_EQ(o.verify_sample, std::ranges::count(words, std::string("7")) > 0 ? 7 : 0) << words[0];
  }
  EXPECT_EQ(parse({"m.ply"}).query, std::nullopt);
  EXPECT_EQ(parse({"m.ply", "--grid", "2"}).grid, 2);
  EXPECT_EQ(parse({"m.ply", "a.ply", "b.ply"}).queries, (std::vector<std::string>{"a.ply", "b.ply"}));
  EXPECT_EQ(parse({"-", "q.ply", "--data-format", "xyz"}).data, "-");
  EXPECT_EQ(parse({"--jobs", "jobs.tsv", "m.ply"}).data, "m.ply");
  EXPECT_EQ(message({"m.ply", "q.ply", "--jobs", "jobs.tsv"}),
            "--jobs does not go with --query: the list names the queries");
  EXPECT_EQ(parse({"m.ply", "--min-recall", "0.5", "--min-recall", "0.9"}).min_recall, 0.9);
}

TEST_F(OptionsTest, AMinimumBringsVerifyWithIt) {
  for (const std::vector<const char*>& minimum :
       std::vector<std::vector<const char*>>{{"--min-recall", "0.9"}, {"--min-recall=0.9"}, {"--min-recall", "0"}}) {
    EXPECT_TRUE(parse(with_data(minimum)).verify) << minimum[0];
    EXPECT_EQ(parse(with_data(minimum)).verify_sample, 0);
  }
  for (const std::vector<const char*>& sampled : std::vector<std::vector<const char*>>{
           {"--verify", "7", "--min-recall", "0.9"}, {"--min-recall", "0.9", "--verify", "7"}}) {
    EXPECT_EQ(parse(with_data(sampled)).verify_sample, 7);
    EXPECT_EQ(parse(with_data(sampled)).min_recall, 0.9);
  }
  for (const char* text : {"nan", "1.5", "-0", "-0.5", "", "inf", "0.9x", "97%", "1e-400"})
    EXPECT_EQ(message({"--data", "a.ply", "--min-recall", text}),
              "--min-recall expects a number from 0 to 1, got '" + std::string(text) + "'");
  EXPECT_EQ(message({"--data", "a.ply", "--min-recall"}), "--min-recall expects a value (X), got none");
}

TEST_F(OptionsTest, AValueMayLookLikeAnotherType) {
  EXPECT_EQ(parse({"--data", "true"}).data, "true");
  EXPECT_EQ(parse({"--data", "a=b.ply"}).data, "a=b.ply");
  EXPECT_EQ(parse({"--data=--x.ply"}).data, "--x.ply");
  EXPECT_EQ(parse({"--data", "[a,b].ply"}).data, "[a,b].ply");
  EXPECT_EQ(parse({"--data", "a b.ply"}).data, "a b.ply");
}

TEST_F(OptionsTest, AnOptionIsNeverTheValueOfAnother) {
  EXPECT_EQ(message({"--data"}), "--data expects a value (FILE), got none");
  EXPECT_EQ(message({"--data", "a.ply", "--output", "--force"}), "--output expects a value (FILE), got none");
  EXPECT_EQ(message({"--data", "a.ply", "-k"}), "--k expects a value (N|all), got none");
  EXPECT_EQ(message({"--data", "a.ply", "-k", "-q"}), "--k expects a value (N|all), got none");
}

TEST_F(OptionsTest, AnEmptyValueIsAValue) {
  EXPECT_EQ(message({"--data", "a.ply", "--k="}), "--k expects a whole number of at least 1, got ''");
  EXPECT_EQ(message({"--data", "a.ply", "--k", ""}), "--k expects a whole number of at least 1, got ''");
  EXPECT_EQ(message({"--data", ""}), "--data expects a file, got ''");
  EXPECT_EQ(message({"--temp-folder", ""}), "--temp-folder expects a folder, got ''");
  EXPECT_EQ(message({"--data", "a.ply", "--verify="}), "--verify expects a whole number of at least 1, got ''");
}

TEST_F(OptionsTest, HelpAndVersionWinOverErrors) {
  EXPECT_EQ(parse({"--help"}).action, Action::show_help);
  EXPECT_EQ(parse({"--help", "all"}).action, Action::show_whole_help);
  EXPECT_EQ(parse({"--help", "a.ply", "--k", "abc"}).action, Action::show_help);
  EXPECT_EQ(parse({"--k", "abc", "--nonsense", "-h"}).action, Action::show_short_help);
  EXPECT_EQ(parse({"--version"}).action, Action::show_version);
  EXPECT_EQ(parse({"-V"}).action, Action::show_version);
  EXPECT_EQ(parse({"-v", "-V", "--k", "abc"}).action, Action::show_version);
}

TEST_F(OptionsTest, OfShortAndWholeHelpTheLastCounts) {
  EXPECT_EQ(parse({"-h", "--help"}).action, Action::show_help);
  EXPECT_EQ(parse({"--help", "-qh"}).action, Action::show_short_help);
}

TEST_F(OptionsTest, GenerateIsAlone) {
  setenv("KANN_THREADS", "abc", 1);
  EXPECT_EQ(parse({"--generate", "man"}).action, Action::print_man_page);
  EXPECT_EQ(parse({"--generate=man", "--generate=markdown"}).action, Action::print_options_page);
  EXPECT_EQ(message({"--generate"}),
            "--generate expects a value (man|complete-bash|complete-zsh|complete-fish|markdown), got none");
  EXPECT_EQ(message({"--generate", "html"}),
            "--generate expects man, complete-bash, complete-zsh, complete-fish or markdown, got 'html'");
  const std::string alone = "--generate prints to stdout and takes no other option, got ";
  EXPECT_EQ(message({"--generate", "man", "-o", "kann.1"}), alone + "'--output'");
  EXPECT_EQ(message({"--generate", "man", "kann.1"}), alone + "'kann.1'");
  EXPECT_EQ(message({"--nonsense", "--generate", "man"}), alone + "'--nonsense'");
}

TEST_F(OptionsTest, OptionsOfReportingAreReadBeforeOthers) {
  for (const std::vector<const char*>& error : std::vector<std::vector<const char*>>{
           {"--k", "abc"}, {"--nonsense"}, {"--data"}, {"--force=1"}, {"-query", "q"}}) {
    std::vector<const char*> arguments = error;
    for (const char* more : {"--json", "--report", "r.json", "-q"}) arguments.push_back(more);
    Options o;
    EXPECT_THROW(parse_options(static_cast<int>(arguments.size()), arguments.data(), o), Error) << error[0];
    EXPECT_TRUE(o.json && o.quiet) << error[0];
    EXPECT_EQ(o.report, "r.json") << error[0];
  }
}

struct UsageError {
  std::vector<const char*> arguments;  // after --data a.ply
  std::string message;
};

}  // namespace
}  // namespace kann::cli
