// --config: every option of the table by a file as by the command line, and who wins over whom.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "../options/options_fixture.hpp"

namespace kann::cli {
namespace {

/// A value of each option that is not its default, and what else it needs.
const std::map<std::string, std::vector<const char*>> k_samples = {
    {"data", {"--data", "b \"c\"\\d.ply"}},
    {"query", {"--query", "q.ply", "r \"s\".ply", "--query", "t.ply"}},
    {"grid", {"--grid", ".5"}},
    {"jobs", {"--jobs", "jobs.tsv"}},
    {"radius", {"--radius", "2.5"}},
    {"min-radius", {"--min-radius", "reach"}},
    {"periodic", {"--periodic", "1.5,0,2"}},
    {"images", {"--periodic", "1.5,0,2", "--images", "all"}},
    {"distances", {"--distances", "float64"}},
    {"sky", {"--sky"}},
    {"unit", {"--unit", "km", "--sky"}},
    {"group", {"--group", "scan angle"}},
    {"other-group", {"--other-group", "class"}},
    {"skip-existing", {"--skip-existing"}},
    {"stats", {"--stats"}},
    {"picture", {"--picture", "p.png"}},
    {"view", {"--view", "1,0,.5", "--picture", "p.png"}},
    {"picture-by", {"--picture-by", "rgb", "--picture", "p.png"}},
    {"picture-size", {"--picture-size", "640x100", "--picture", "p.png"}},
    {"color-scale", {"--color-scale", "log", "--picture", "p.png"}},
    {"color-range", {"--color-range", "0,2.5", "--picture", "p.png"}},
    {"header", {"--header", "no"}},
    {"quotes", {"--quotes", "none"}},
    {"outliers", {"--outliers", "12,1.5"}},
    {"cluster", {"--cluster", "0.5,10"}},
    {"where", {"--where", "kind = a"}},
    {"query-where", {"--query", "q.ply", "--query-where", "kind in a,b"}},
    {"attributes", {"--attributes", "-kind,a=b", "-o", "x.ply"}},
    {"keep", {"--keep", "nn_distance < 2 and kind in a,b", "-o", "x.ply"}},
    {"join", {"--join", "inner", "-o", "x.csv"}},
    {"match", {"--match", "one-to-one"}},
    {"transfer", {"--transfer", "red,scan angle"}},
    {"features", {"--features", "normals,curvature"}},
    {"orient", {"--orient", "1.5,-2,3", "--features", "normals"}},
    {"by", {"--by", "idw,b=vote", "--transfer", "a,b"}},
    {"rbf", {"--rbf", "kernel=cubic,degree=2,smoothing=.25,epsilon=3", "--by", "rbf", "--transfer", "a"}},
    {"fail-fast", {"--fail-fast"}},
    {"compare", {"--compare", "truth.npz"}},
    {"data-format", {"--data-format", "xyz"}},
    {"query-format", {"--query-format", "npy", "--query", "q"}},
    {"columns", {"--columns", "x, y,3"}},
    {"query-columns", {"--query-columns", "u,v", "--query", "q"}},
    {"invalid", {"--invalid", "skip"}},
    {"k", {"-k", "016"}},
    {"pairs", {"--pairs", "half", "-k", "all", "--radius", "1"}},
    {"include-self", {"--include-self"}},
    {"method", {"--method", "shifted-sort"}},
    {"shifts", {"--shifts", "7", "--method", "shifted-sort"}},
    {"window", {"--window", "9", "--method", "shifted-sort"}},
    {"device", {"--device", "cuda:2"}},
    {"threads", {"--threads", "3"}},
    {"max-memory", {"--max-memory", "4G"}},
    {"temp-folder", {"--temp-folder", "/tmp"}},
    {"output", {"-o", "x.csv"}},
    {"output-format", {"--output-format", "las"}},
    {"output-per-rank", {"--output-per-rank"}},
    {"force", {"--force"}},
    {"verify", {"--verify", "7"}},
    {"min-recall", {"--min-recall", ".9"}},
    {"json", {"--json"}},
    {"report", {"--report", "r.json"}},
    {"html", {"--html", "r.html"}},
    {"title", {"--title", "A run", "--html", "r.html"}},
    {"plan", {"--plan"}},
    {"quiet", {"-q"}},
    {"verbose", {"-v"}},
    {"progress", {"--progress", "never"}},
    {"color", {"--color", "always"}},
};

/// The lines of a file that say what the arguments say: numbers are bare, all other values are strings, and what is
/// given several times is an array.
std::string toml_of(const std::vector<const char*>& arguments) {
  const std::map<std::string, std::string> letters = {
      {"-k", "k"}, {"-o", "output"}, {"-q", "quiet"}, {"-v", "verbose"}};
  std::map<std::string, std::vector<std::string>> settings;
  std::vector<std::string>* values = nullptr;
  for (const std::string word : arguments) {
    if (letters.contains(word) || word.starts_with("--")) {
      values = &settings[letters.contains(word) ? letters.at(word) : word.substr(2)];
    } else if (word.find_first_not_of(".0123456789") == word.npos) {
      std::ostringstream number;  // TOML has no leading zeros or points
      number << std::stod(word);
      values->push_back(number.str());
    } else {
      values->emplace_back("\"");
      for (const char c : word) values->back().append(c == '"' || c == '\\' ? "\\" : "") += c;
      values->back() += '"';
    }
  }
  std::string text;
  for (const auto& [name, of_name] : settings) {
    text += name + " = " + (of_name.empty() ? "true" : of_name.size() > 1 ? "[" : "");
    for (const std::string& value : of_name) text += (&value == of_name.data() ? "" : ", ") + value;
    text += of_name.size() > 1 ? "]\n" : "\n";
  }
  return text;
}

std::string description(const Options& o) {
  std::ostringstream out;
  const auto add = [&](const auto&... fields) { ((out << fields << ';'), ...); };
  const auto optional = [&](const auto& field) { field ? add(*field) : add("none"); };
  const auto word = [&](const auto& field) { field ? add(static_cast<int>(*field)) : add("none"); };
  add(o.data, o.output, o.output_extension, o.force, o.plan, o.json, o.verify, o.verify_sample, o.quiet, o.verbose);
  add(static_cast<int>(o.progress), static_cast<int>(o.color), static_cast<int>(o.action));
  add(o.sky);
  optional(o.unit), optional(o.group), optional(o.other_group);
  add(o.skip_existing, o.fail_fast, o.all_neighbors, o.half_pairs, o.float64_distances);
  for (const std::string& column : o.columns) add(column);
  for (const std::string& column : o.query_columns) add("query", column);
  for (const std::string& query : o.queries) add(query);
  optional(o.query), optional(o.report), optional(o.html), optional(o.min_recall), optional(o.jobs),
      optional(o.compare);
  optional(o.grid), optional(o.max_memory), optional(o.temp_folder);
  add(o.output_per_rank);
  word(o.data_format), word(o.query_format), word(o.output_format), word(o.cloud_format);
  optional(o.picture), optional(o.picture_by);
  add(o.stats, o.keep.text, o.where.text, o.query_where.text), word(o.match), word(o.join);
  if (o.view) add(static_cast<int>(o.view->kind), o.view->direction[0], o.view->direction[1], o.view->direction[2]);
  if (o.picture_size) add(o.picture_size->width, o.picture_size->height);
  if (o.color_range) add(o.color_range->first, o.color_range->second);
  optional(o.header), word(o.color_scale), add(o.quotes);
  if (o.outliers) add(o.outliers->k, o.outliers->sigma);
  if (o.cluster) add(o.cluster->radius, o.cluster->min_points);
  for (const std::string& name : o.transfer) add(name);
  for (const AttributeChoice& choice : o.attributes) add(choice.name, choice.new_name, choice.is_dropped);
  for (const std::string& feature : o.features) add(feature);
  if (o.orient && o.orient->viewpoint) add(o.orient->viewpoint->front(), o.orient->viewpoint->back());
  for (const auto& [name, method] : o.transfer_by) add(name, static_cast<int>(method));
  if (o.rbf) add(static_cast<int>(o.rbf->kernel), o.rbf->degree, o.rbf->smoothing, o.rbf->epsilon);
  const SearchOptions& s = o.search;
  for (const double side : s.periodic) add(side);
  add(s.k, s.include_self, s.threads, s.device.index, static_cast<int>(s.device.kind), static_cast<int>(s.invalid),
      static_cast<int>(s.method));
  optional(s.shifts), optional(s.window), optional(s.radius), optional(o.radius_name), add(o.min_radius.index());
  return out.str();
}

class ConfigOptionsTest : public OptionsTest {
 protected:
  ConfigOptionsTest() { std::filesystem::create_directory(folder_); }
  ~ConfigOptionsTest() override { std::filesystem::remove_all(folder_); }

  const char* file(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_.c_str();
  }
  Options parse_with(const std::string& text, std::vector<const char*> arguments = {}) const {
    arguments.insert(arguments.end(), {"--config", file(text)});
    return parse(arguments);
  }
  std::string problem(const std::string& text, std::vector<const char*> arguments = {}) const {
    arguments.insert(arguments.end(), {"--config", file(text)});
    const std::string whole = message(arguments);
    EXPECT_EQ(whole.find(path_), 0u) << whole;
    return whole.substr(std::min(whole.size(), path_.size()));
  }

  const std::string folder_ = testing::TempDir() + "kann_config_options_" + std::to_string(getpid());
  const std::string path_ = folder_ + "/kann.toml";
};

TEST_F(ConfigOptionsTest, EveryOptionIsReadFromTheFile) {
  const std::string defaults = description(parse({"--data", "a.ply"}));
  for (const OptionSpec& option : option_table()) {
    if (config_key(option).kind == ConfigKind::absent) continue;
    const std::string name(option.name);
    ASSERT_TRUE(k_samples.contains(name)) << "no sample of " << name;
    const std::vector<const char*>& sample = k_samples.at(name);
    std::vector<const char*> arguments = {"--data", "a.ply"};
    arguments.insert(arguments.end(), sample.begin(), sample.end());
    const std::string text = (name == "data" ? "" : "data = \"a.ply\"\n") + toml_of(sample);
    EXPECT_NE(description(parse(arguments)), defaults) << name;
    EXPECT_EQ(description(parse_with(text)), description(parse(arguments))) << text;
  }
}

TEST_F(ConfigOptionsTest, ManyOptionsGoTogether) {
  std::vector<const char*> arguments;
  for (const char* name :
       {"data", "query", "data-format", "query-format", "columns", "invalid", "k", "radius", "device", "threads",
        "output-format", "force", "verify", "min-recall", "json", "report", "verbose", "progress", "color"})
    arguments.insert(arguments.end(), k_samples.at(name).begin(), k_samples.at(name).end());
  EXPECT_EQ(description(parse_with(toml_of(arguments))), description(parse(arguments)));
}

TEST_F(ConfigOptionsTest, TheCommandLineWinsOverVariablesAndTheseOverTheFile) {
  const std::string text = "data = 'a.ply'\nthreads = 3\n";
  EXPECT_EQ(parse_with(text).search.threads, 3);
  setenv("KANN_THREADS", "", 1);
  EXPECT_EQ(parse_with(text).search.threads, 3);
  setenv("KANN_THREADS", "2", 1);
  EXPECT_EQ(parse_with(text).search.threads, 2);
  EXPECT_EQ(parse_with(text, {"--threads", "1"}).search.threads, 1);
}

TEST_F(ConfigOptionsTest, OppositesOnTheCommandLineWin) {
  EXPECT_EQ(parse_with("data = 'a'\nmethod = 'exact'\n", {"--method", "shifted-sort"}).search.method,
            Method::shifted_sort);
  EXPECT_EQ(parse_with("data = 'a'\nmethod = 'shifted-sort'\n", {"--exact"}).search.method, Method::exact);
  const Options loud = parse_with("data = 'a'\nquiet = true\n", {"-v"});
  EXPECT_TRUE(loud.verbose && !loud.quiet);
  const Options quiet = parse_with("data = 'a'\nverbose = true\n", {"-q"});
  EXPECT_TRUE(quiet.quiet && !quiet.verbose);
}

TEST_F(ConfigOptionsTest, QueriesAreThoseOfTheCommandLine) {
  EXPECT_FALSE(parse_with("data = 'a'\nquery = 'q.ply'\n", {"--grid", "2"}).query);
  EXPECT_FALSE(parse_with("data = 'a'\ngrid = 2\n", {"--query", "q.ply"}).grid);
  EXPECT_EQ(problem("grid = '2'"), ":1: grid expects a number, got the string '2'");
}

TEST_F(ConfigOptionsTest, AWindowOfTheFileNeedsItsMethodAndYieldsToExact) {
  const std::string text = "data = 'a'\nwindow = 64\nshifts = 5\nmethod = 'shifted-sort'\n";
  EXPECT_EQ(parse_with(text).search.window, 64);
  for (const std::vector<const char*>& exact : {std::vector<const char*>{"--exact"}, {"--method", "exact"}}) {
    const SearchOptions search = parse_with(text, exact).search;
    EXPECT_TRUE(search.method == Method::exact && !search.window && !search.shifts);
  }
  const std::string rest = " is for approximate answers; it needs method = \"shifted-sort\" or \"paper\"";
  EXPECT_EQ(problem("data = 'a'\nwindow = 64\n"), ":2: window" + rest);
  EXPECT_EQ(problem("shifts = 5\ndata = 'a'\n"), ":1: shifts" + rest);
}

TEST_F(ConfigOptionsTest, WrongValuesNameTheLine) {
  EXPECT_EQ(problem("data = 'a'\nk = 0"), ":2: k expects a whole number of at least 1, got '0'");
  EXPECT_EQ(problem("k = 8.0"), ":1: k expects a whole number of at least 1, got '8.0'");
  EXPECT_EQ(problem("device = 'gpu'"), ":1: device expects auto, cpu, cuda or cuda:N, got 'gpu'");
  EXPECT_EQ(problem("min-recall = 1.5"), ":1: min-recall expects a number from 0 to 1, got '1.5'");
  EXPECT_EQ(problem("min_recall = 0.9"), ":1: unknown key 'min_recall'; did you mean 'min-recall'?");
  EXPECT_EQ(problem("exact = true"), ":1: unknown key 'exact'; here it is --method exact");
  EXPECT_EQ(problem("data = ''"), ":1: data expects a file, got ''");
  for (const char* key : {"config", "generate", "help", "version"})
    EXPECT_EQ(problem(key + std::string(" = true")),
              ":1: " + std::string(key) + " is for the command line alone, not for a configuration");
}

TEST_F(ConfigOptionsTest, AFailureIsReportedAsTheFileAsks) {
  for (const std::string fault : {"ouput = 'x'", "k = 0"}) {
    Options o;
    const char* const arguments[] = {"--config", file(fault + "\njson = true\nreport = 'r.json'\nquiet = true\n")};
    EXPECT_THROW(parse_options(2, arguments, o), Error);
    EXPECT_TRUE(o.json && o.quiet) << fault;
    EXPECT_EQ(o.report, "r.json") << fault;
  }
  Options o;
  const char* const arguments[] = {"--json", "--config", "nope.toml"};
  EXPECT_THROW(parse_options(3, arguments, o), Error);
  EXPECT_TRUE(o.json);
}

TEST_F(ConfigOptionsTest, ThePathIsThatOfAFile) {
  EXPECT_EQ(message({"--config"}), "--config expects a value (FILE), got none");
  EXPECT_EQ(message({"--config", "-"}), "--config expects a file, got '-'");
  EXPECT_EQ(message({"--config", "nope.toml"}), "nope.toml: No such file or directory");
  EXPECT_EQ(parse({"--config", "nope.toml", "--help"}).action, Action::show_help);
}

TEST_F(ConfigOptionsTest, WordsAreAccepted) {
  int count = 0;
  for (const OptionSpec& option : option_table())
    for (const std::string_view word : words_of(option)) {
      Options o;
      EXPECT_NO_THROW(option.apply(o, {std::string(option.name), std::string(word)})) << option.name << ' ' << word;
      ++count;
    }
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace kann::cli
