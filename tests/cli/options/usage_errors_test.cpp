// Command lines that are refused, and the message of each usage error.
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, EachErrorHasItsMessage) {
  const std::string clouds =
      "clouds are given as --data FILE and --query FILE, or as words without options: kann DATA QUERY";
  const std::vector<UsageError> errors = {
      {{"--ouput", "x"}, "unknown option '--ouput'; did you mean '--output'?"},
      {{"--ouput=x"}, "unknown option '--ouput'; did you mean '--output'?"},
      {{"--out", "x"}, "unknown option '--out'; here it is --output"},
      {{"-query", "q.ply"}, "unknown option '-query'; did you mean '--query'?"},
      {{"-qurey", "q.ply"}, "unknown option '-qurey'; did you mean '--query'?"},
      {{"-x"}, "unknown option '-x'; see kann --help"},
      {{"--radius", "-1"}, "--radius expects a finite number of at least 0, got '-1'"},
      {{"--periodic", "1"},
       "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, "
       "with XY,XZ,YZ behind them if the box is slanted, or three vectors, got '1'"},
      {{"--max-memory", "1X"},
       "--max-memory expects a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as 500M or 4GB, or "
       "at "
       "least 1000000 without, got '1X'"},
      {{"--compare", "f"}, "--compare expects a .npz, .npy, .bin, .ibin or .ivecs file, got 'f'"},
      {{"--compare", "truth.csv"}, "--compare expects a .npz, .npy, .bin, .ibin or .ivecs file, got 'truth.csv'"},
      {{"--method", "fast"}, "--method expects exact, shifted-sort or paper, got 'fast'"},
      {{"--exact=no"}, "unknown option '--exact'; here it is --method exact"},
      {{"--shifts", "3"}, "--shifts is for approximate answers; it needs --method shifted-sort or paper"},
      {{"--exact", "--window", "9"}, "--window is for approximate answers; it needs --method shifted-sort or paper"},
      {{"q.ply"}, "unexpected argument 'q.ply'; " + clouds},
      {{"infoo", "q.ply"}, "unexpected argument 'infoo'; did you mean 'kann info FILE'? " + clouds},
      {{""}, "unexpected argument ''; " + clouds},
      {{"--normals"}, "unknown option '--normals'; here it is --features normals"},
      {{"--dbscan", "1"}, "unknown option '--dbscan'; here it is --cluster R,MIN"},
      {{"--", "q.ply"}, "unexpected argument 'q.ply'; " + clouds},
      {{"--force", "yes"}, "unexpected argument 'yes'; " + clouds},
      {{"--force=no"}, "--force takes no value, got 'no'"},
      {{"--force="}, "--force takes no value, got ''"},
      {{"-q="}, "--quiet takes no value, got ''"},
      {{"--k", "abc"}, "--k expects a whole number of at least 1, got 'abc'"},
      {{"-k", "-3"}, "--k expects a whole number of at least 1, got '-3'"},
      {{"--shifts", "4"}, "--shifts expects an odd whole number from 1 to 1023, got '4'"},
      {{"--window", "0"}, "--window expects a whole number of at least 1, got '0'"},
      {{"--threads", "-1"}, "--threads expects a whole number from 0 to 1024, got '-1'"},
      {{"-k", "33", "--method", "shifted-sort"},
       "--method shifted-sort takes --k up to 32, got 33; the exact search, the default, takes any"},
      {{"--invalid", "ignore"}, "--invalid expects error or skip, got 'ignore'"},
      {{"--color", "sometimes"}, "--color expects auto, always or never, got 'sometimes'"},
      {{"--progress", ""}, "--progress expects auto, always or never, got ''"},
      {{"--data-format", "e57"},
       "--data-format expects ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti, got 'e57'"},
      {{"--output-format", "hdf5"},
       "--output-format expects npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or cloud-csv, "
       "got "
       "'hdf5'"},
      {{"-o", "x.foo"},
       "x.foo: unknown output format (got extension '.foo', need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
       ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text"},
      {{"-o", "foo"},
       "foo: unknown output format (got no extension, need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
       ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text"},
      {{"-o", "out/{stm}.npz"}, "out/{stm}.npz: unknown placeholder '{stm}'; did you mean '{stem}'?"},
      {{"-o", "-"},
       "--output - needs --output-format (npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or "
       "cloud-csv)"},
      {{"-o", "-", "--output-format", "csv", "--json"}, "--output - does not go with --json: both write to stdout"},
      {{"--data", "-"},
       "--data - needs --data-format (ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti)"},
      {{"--query", "-"},
       "--query - needs --query-format (ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti)"},
      {{"--data", "-", "--query", "-", "--data-format", "ply", "--query-format", "ply"},
       "--data and --query cannot both be '-': there is one standard input"},
      {{"--query-format", "ply"}, "--query-format needs --query"},
      {{"--query-columns", "x,y"}, "--query-columns needs --query"},
      {{"--grid", "1", "--jobs", "j", "--query-columns", "x,y"}, "--query-columns needs --query"},
      {{"--query", "q", "--query-columns", "x"},
       "--query-columns expects two or three different columns, by name or by number from 1, got 'x'"},
      {{"--grid", "1", "--jobs", "j", "--query-format", "ply"}, "--query-format needs --query"},
      {{"--grid", "1", "--query", "q.ply"}, "--grid does not go with --query: the cells of the grid are the queries"},
      {{"--grid", "0"}, "--grid expects a positive number, got '0'"},
      {{"--grid", "nan"}, "--grid expects a positive number, got 'nan'"},
      {{"--min-recall", "1.5", "--verify"}, "--min-recall expects a number from 0 to 1, got '1.5'"},
      {{"-q", "-v"}, "--quiet does not go with --verbose: one prints less, the other more"},
      {{"--report", "-"}, "--report expects a file, got '-'; --json prints the report on stdout"},
      {{"--method", "paper", "--k", "5"}, "--method paper takes --k 2, 4, 8 or 16, got 5"},
      {{"--method", "paper", "--window", "9"}, "--method paper takes --window 8 (its k), got 9"},
      {{"--method", "paper", "--device", "cpu"}, "--method paper runs on CUDA devices only, got --device cpu"},
  };
  for (const UsageError& error : errors) EXPECT_EQ(message(with_data(error.arguments)), error.message);
  EXPECT_EQ(message({}), "--data FILE is required, as in: kann pts.ply q.ply -k 8; see kann --help");
}

TEST_F(OptionsTest, AnApproximateMethodGoesWithNoOptionWhoseAnswerIsExact) {
  const std::vector<std::pair<std::string, std::vector<const char*>>> exact = {
      {"--k all", {"-k", "all", "--radius", "1"}},
      {"--periodic", {"--periodic", "1,1"}},
      {"--sky", {"--sky"}},
      {"--cluster", {"--cluster", "1"}},
      {"--group", {"--group", "class"}},
      {"--other-group", {"--other-group", "class"}},
      {"--join", {"--join", "inner", "-o", "out.csv"}},
      {"--match", {"--match", "mutual"}},
      {"--outliers", {"--outliers", "8,2"}},
      {"--features", {"--features", "normals"}}};
  for (const std::string method : {"shifted-sort", "paper"})
    for (const auto& [flag, arguments] : exact) {
      std::vector<const char*> all = with_data(arguments);
      EXPECT_EQ(parse(all).search.method, Method::exact);
      all.insert(all.end(), {"--method", method.c_str()});
      EXPECT_EQ(message(all), "--method " + method + " does not go with " + flag + ", whose answer is exact");
    }
}

}  // namespace
}  // namespace kann::cli
