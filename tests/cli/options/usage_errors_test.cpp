// Command lines that are refused and the message of each error; what values of options are accepted; and --by, which
// has one method for all names of --transfer, one for each, or some by name.
#include "cli/options/transfer_by.hpp"
#include "cli/options/values.hpp"
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, EachErrorHasItsMessage) {
  const std::string clouds =
      "clouds are given as --data FILE and --query FILE, or as words without options: kann DATA QUERY";
  const std::pair<std::string, std::string> errors[] = {
      // after --data a.ply
      {"--ouput x", "unknown option '--ouput'; did you mean '--output'?"},
      {"--ouput=x", "unknown option '--ouput'; did you mean '--output'?"},
      {"--out x", "unknown option '--out'; here it is --output"},
      {"-query q.ply", "unknown option '-query'; did you mean '--query'?"},
      {"-qurey q.ply", "unknown option '-qurey'; did you mean '--query'?"},
      {"-x", "unknown option '-x'; see kann --help"},
      {"--radius -1", "--radius expects a finite number of at least 0, got '-1'"},
      {"--periodic 1",
       "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, "
       "with XY,XZ,YZ behind them if the box is slanted, or three vectors, got '1'"},
      {"--max-memory 1X",
       "--max-memory expects a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as 500M or 4GB, or "
       "at least 1000000 without, got '1X'"},
      {"--compare f", "--compare expects a .npz, .npy, .bin, .ibin or .ivecs file, got 'f'"},
      {"--compare truth.csv", "--compare expects a .npz, .npy, .bin, .ibin or .ivecs file, got 'truth.csv'"},
      {"--method fast", "--method expects exact, shifted-sort or paper, got 'fast'"},
      {"--exact=no", "unknown option '--exact'; here it is --method exact"},
      {"--shifts 3", "--shifts is for approximate answers; it needs --method shifted-sort or paper"},
      {"--exact --window 9", "--window is for approximate answers; it needs --method shifted-sort or paper"},
      {"q.ply", "unexpected argument 'q.ply'; " + clouds},
      {"infoo q.ply", "unexpected argument 'infoo'; did you mean 'kann info FILE'? " + clouds},
      {"''", "unexpected argument ''; " + clouds},
      {"--normals", "unknown option '--normals'; here it is --features normals"},
      {"--dbscan 1", "unknown option '--dbscan'; here it is --cluster R,MIN"},
      {"-- q.ply", "unexpected argument 'q.ply'; " + clouds},
      {"--force yes", "unexpected argument 'yes'; " + clouds},
      {"--force=no", "--force takes no value, got 'no'"},
      {"--force=", "--force takes no value, got ''"},
      {"-q=", "--quiet takes no value, got ''"},
      {"--k abc", "--k expects a whole number of at least 1, got 'abc'"},
      {"-k -3", "--k expects a whole number of at least 1, got '-3'"},
      {"--shifts 4", "--shifts expects an odd whole number from 1 to 1023, got '4'"},
      {"--window 0", "--window expects a whole number of at least 1, got '0'"},
      {"--threads -1", "--threads expects a whole number from 0 to 1024, got '-1'"},
      {"-k 33 --method shifted-sort",
       "--method shifted-sort takes --k up to 32, got 33; the exact search, the default, takes any"},
      {"--invalid ignore", "--invalid expects error or skip, got 'ignore'"},
      {"--color sometimes", "--color expects auto, always or never, got 'sometimes'"},
      {"--progress ''", "--progress expects auto, always or never, got ''"},
      {"--data-format e57",
       "--data-format expects ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti, got 'e57'"},
      {"--output-format hdf5",
       "--output-format expects npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or cloud-csv, "
       "got 'hdf5'"},
      {"-o x.foo",
       "x.foo: unknown output format (got extension '.foo', need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
       ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text"},
      {"-o foo",
       "foo: unknown output format (got no extension, need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
       ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text"},
      {"-o out/{stm}.npz", "out/{stm}.npz: unknown placeholder '{stm}'; did you mean '{stem}'?"},
      {"-o -",
       "--output - needs --output-format (npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or "
       "cloud-csv)"},
      {"-o - --output-format csv --json", "--output - does not go with --json: both write to stdout"},
      {"--data -",
       "--data - needs --data-format (ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti)"},
      {"--query -",
       "--query - needs --query-format (ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti)"},
      {"--data - --query - --data-format ply --query-format ply",
       "--data and --query cannot both be '-': there is one standard input"},
      {"--query-format ply", "--query-format needs --query"},
      {"--query-columns x,y", "--query-columns needs --query"},
      {"--grid 1 --jobs j --query-columns x,y", "--query-columns needs --query"},
      {"--query q --query-columns x",
       "--query-columns expects two or three different columns, by name or by number from 1, got 'x'"},
      {"--grid 1 --jobs j --query-format ply", "--query-format needs --query"},
      {"--grid 1 --query q.ply", "--grid does not go with --query: the cells of the grid are the queries"},
      {"--grid 0", "--grid expects a positive number, got '0'"},
      {"--grid nan", "--grid expects a positive number, got 'nan'"},
      {"--min-recall 1.5 --verify", "--min-recall expects a number from 0 to 1, got '1.5'"},
      {"-q -v", "--quiet does not go with --verbose: one prints less, the other more"},
      {"--report -", "--report expects a file, got '-'; --json prints the report on stdout"},
      {"--method paper --k 5", "--method paper takes --k 2, 4, 8 or 16, got 5"},
      {"--method paper --window 9", "--method paper takes --window 8 (its k), got 9"},
      {"--method paper --device cpu", "--method paper runs on CUDA devices only, got --device cpu"},
  };
  for (const auto& [words, error] : errors) EXPECT_EQ(message("--data a.ply " + words), error);
  EXPECT_EQ(message(""), "--data FILE is required, as in: kann pts.ply q.ply -k 8; see kann --help");
}

TEST_F(OptionsTest, AnApproximateMethodGoesWithNoOptionWhoseAnswerIsExact) {
  const std::pair<std::string, std::string> exact[] = {
      {"--k all", "-k all --radius 1"},      {"--periodic", "--periodic 1,1"}, {"--sky", "--sky"},
      {"--cluster", "--cluster 1"},          {"--group", "--group class"},     {"--other-group", "--other-group class"},
      {"--join", "--join inner -o out.csv"}, {"--match", "--match mutual"},    {"--outliers", "--outliers 8,2"},
      {"--features", "--features normals"}};
  for (const std::string method : {"shifted-sort", "paper"})
    for (const auto& [flag, words] : exact) {
      EXPECT_EQ(parse("--data a.ply " + words).search.method, Method::exact);
      EXPECT_EQ(message("--data a.ply --method " + method + " " + words),
                "--method " + method + " does not go with " + flag + ", whose answer is exact");
    }
}

std::string message_of(auto f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

TEST(WholeNumber, AcceptsDecimalDigitsWithinTheBounds) {
  EXPECT_EQ(whole_number({"--k", "8"}, 1), 8);
  EXPECT_EQ(whole_number({"--k", "0008"}, 1), 8);
  EXPECT_EQ(whole_number({"--k", "9223372036854775807"}, 1), k_no_limit);
  EXPECT_EQ(whole_number({"--threads", "0"}, 0, 4), 0);
  EXPECT_EQ(whole_number({"--threads", "4"}, 0, 4), 4);
}

TEST(WholeNumber, RefusesAllOtherTexts) {
  for (const char* text : {"abc", "5.5", "", "-3", "0", "1e3", " 8", "8 ", "+8", "0x8", "5abc", "--", "\t1"})
    EXPECT_EQ(message_of([&] {
                whole_number({"--k", text}, 1);
              }),
              "--k expects a whole number of at least 1, got '" + std::string(text) + "'");
}

TEST(ByteCount, TakesUnitsInEitherCaseAndABlankBeforeThem) {
  for (const char* text : {"60MB", "60 MB", "60mb", "60 mB", "60000000", "60000KB"})
    EXPECT_EQ(byte_count({"--max-memory", text}), 60e6) << text;
  for (const char* text : {"4G", "4g", "4GiB", "4 gib", "4096M"})
    EXPECT_EQ(byte_count({"--max-memory", text}), 4.0 * (1 << 30)) << text;
}

TEST(WholeNumber, NamesBothBoundsWhereThereAreTwo) {
  EXPECT_EQ(message_of([] {
              whole_number({"--threads", "64"}, 1, 63);
            }),
            "--threads expects a whole number from 1 to 63, got '64'");
}

TEST(WholeNumber, NamesTheMaximumForALargerNumber) {
  for (const char* text : {"9223372036854775808", "99999999999999999999999999999999999"})
    EXPECT_EQ(message_of([&] {
                whole_number({"--k", text}, 1);
              }),
              "--k expects a whole number from 1 to 9223372036854775807, got '" + std::string(text) + "'");
  EXPECT_EQ(message_of([] {
              whole_number({"--k", "-99999999999999999999"}, 1);
            }),
            "--k expects a whole number of at least 1, got '-99999999999999999999'");
}

TEST(OddNumber, AcceptsOddNumbersOnly) {
  EXPECT_EQ(odd_number({"--shifts", "1"}, 1023), 1);
  EXPECT_EQ(odd_number({"--shifts", "17"}, 1023), 17);
  for (const char* text : {"2", "0", "-1", "", "5.0", "x", "4294967297"})
    EXPECT_EQ(message_of([&] {
                odd_number({"--shifts", text}, 1023);
              }),
              "--shifts expects an odd whole number from 1 to 1023, got '" + std::string(text) + "'");
}

TEST(UnitFraction, AcceptsDecimalsFromZeroToOne) {
  EXPECT_EQ(unit_fraction({"--min-recall", "0.97"}), 0.97);
  EXPECT_EQ(unit_fraction({"--min-recall", "1"}), 1);
  EXPECT_EQ(unit_fraction({"--min-recall", "0"}), 0);
  EXPECT_EQ(unit_fraction({"--min-recall", "9.5e-1"}), 0.95);
  for (const char* text : {"1.01", "-0.1", "-0", "nan", "inf", "97%", "", "0,97", " 0.5", "0x1p-1"})
    EXPECT_EQ(message_of([&] {
                unit_fraction({"--min-recall", text});
              }),
              "--min-recall expects a number from 0 to 1, got '" + std::string(text) + "'");
}

TEST(OneOf, NamesTheChoices) {
  const auto choose = [](const char* text) { return one_of<int>({"KANN_X", text}, {{"a", 1}, {"b", 2}, {"c", 3}}); };
  EXPECT_EQ(choose("b"), 2);
  EXPECT_EQ(message_of([&] { choose("B"); }), "KANN_X expects a, b or c, got 'B'");
  EXPECT_EQ(message_of([] { one_of<int>({"--y", ""}, {{"a", 1}}); }), "--y expects a, got ''");
}

class TransferByTest : public OptionsTest {
 protected:
  static std::string words(const std::string& transfer, const std::string& by) {
    return "--data a.ply --transfer " + transfer + " --by '" + by + "'";
  }
  static std::string refusal(const std::string& transfer, const std::string& by) {
    return message(words(transfer, by));
  }
  /// "rbf", "vote!": the methods of the names, with a mark where it was said of this name.
  static std::string methods(const std::string& command) {
    const Options o = parse(command);
    std::string methods;
    for (std::size_t i = 0; i < o.transfer.size(); ++i) {
      const AskedMethod asked = asked_method(o.transfer_by, o.transfer[i], i);
      constexpr const char* names[] = {"nearest", "mean", "idw", "vote", "rbf"};
      methods += (i ? " " : "") + std::string(names[static_cast<int>(asked.method)]) + (asked.is_for_others ? "" : "!");
    }
    return methods;
  }
};

TEST_F(TransferByTest, OneIsForAllAndAListForEach) {
  EXPECT_EQ(methods("--data a.ply --transfer a,b"), "nearest nearest");
  EXPECT_EQ(methods(words("a,b", "mean")), "mean mean");
  EXPECT_EQ(methods(words("a", "mean")), "mean");
  EXPECT_EQ(methods(words("a,b,c", "mean,vote,mean")), "mean! vote! mean!");
}

TEST_F(TransferByTest, NamesMayHaveTheirOwnBesideOneForTheOthers) {
  EXPECT_EQ(methods(words("a,b,c", "b=vote")), "nearest vote! nearest");
  EXPECT_EQ(methods(words("a,b,c", "idw,b=vote")), "idw vote! idw");
  EXPECT_EQ(methods(words("a,b,c", "c=rbf, idw ,b=vote")), "idw vote! rbf!");
  EXPECT_EQ(methods(words("a,b", "a=rbf,b=rbf")), "rbf! rbf!");
  EXPECT_EQ(methods(words("a=b,5", "a=b=mean,5=idw")), "mean! idw!");
}

TEST_F(TransferByTest, WhatIsForNoNameIsRefused) {
  EXPECT_EQ(refusal("depth,class", "depht=rbf"),
            "--by: no 'depht' among the names of --transfer (depth, class); did you mean 'depth'?");
  EXPECT_EQ(refusal("depth,class", "CLASS=rbf"),
            "--by: no 'CLASS' among the names of --transfer (depth, class); did you mean 'class'?");
  EXPECT_EQ(refusal("depth", "colour=rbf"), "--by: no 'colour' among the names of --transfer (depth)");
  EXPECT_EQ(refusal("a,b", "a=rbf,a=vote"), "--by names 'a' twice");
  EXPECT_EQ(refusal("a,b", "rbf,idw,a=vote"),
            "--by has 2 methods without a name beside NAME=METHOD; give one, for all other names");
  EXPECT_EQ(refusal("a,b,c", "rbf,idw"), "--by has 2 methods for 3 names of --transfer; give one, or one for each");
  EXPECT_EQ(refusal("a,b", "a=rfb"), "--by a=METHOD expects nearest, mean, idw, vote or rbf, got 'rfb'");
  EXPECT_EQ(refusal("a,b", "=rbf"), "--by expects METHOD or NAME=METHOD, between commas, got '=rbf'");
  EXPECT_EQ(message("--data a.ply --by a=rbf"), "--by needs --transfer NAME");
}

/// What --by rbf brings and excludes, so does --by NAME=rbf.
TEST_F(TransferByTest, RbfOfOneNameIsRbf) {
  EXPECT_EQ(message("--data a.ply --transfer a,b --by a=rbf --rbf degree=2"), "no error");
  EXPECT_EQ(message("--data a.ply --transfer a,b --by a=rbf -k 65"), "--by rbf takes at most 64 neighbours: --k 64");
}

}  // namespace
}  // namespace kann::cli
