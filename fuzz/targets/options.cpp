// The command line: the input is split into arguments at line ends.
#include "cli/options/options.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "targets/checks.hpp"

namespace {

using namespace kann;

/// What parse_options() promises of options that it accepts.
void check(const cli::Options& options) {
  if (options.action != cli::Action::search) return;
  if (options.data.empty() && !options.jobs) fuzz::report("--data is given", "");
  const bool has_format = options.output_format || options.cloud_format;
  if (!options.is_batch() && options.writes_result() && (options.output.empty() || !has_format))
    fuzz::report("there is an output and its format", options.output);
  if (options.jobs && !options.queries.empty()) fuzz::report("a list names the queries", options.queries.front());
  if (options.search.k < 1) fuzz::report("k is at least 1", std::to_string(options.search.k));
  if (options.search.threads < 0) fuzz::report("threads is not negative", std::to_string(options.search.threads));
  if (options.search.shifts && *options.search.shifts % 2 != 1)
    fuzz::report("shifts is odd", std::to_string(*options.search.shifts));
  if (options.min_recall && !(*options.min_recall >= 0 && *options.min_recall <= 1))
    fuzz::report("a recall is from 0 to 1", std::to_string(*options.min_recall));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      arguments.emplace_back();
    else if (data[i] != 0)  // no argument contains NUL
      arguments.back() += static_cast<char>(data[i]);
  }
  if (arguments.back().empty()) arguments.pop_back();
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  cli::Options options;
  try {
    cli::parse_options(static_cast<int>(pointers.size()), pointers.data(), options);
    check(options);
  } catch (const Error& error) {
    // A message quotes an argument at most twice: a pattern, and the unknown placeholder in it. The program prints it
    // as printable() says, which takes at most four bytes for one.
    fuzz::check_error(Error(error.kind(), base::printable(error.what())), 1000 + 2 * 4 * size);
  }
  return 0;
}
