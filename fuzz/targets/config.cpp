// The file of --config: what is set is in the order of the lines, and a fault has a message of one line.
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "cli/config/config_file.hpp"
#include "cli/options/option_table.hpp"
#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kann;
  static fuzz::MemoryFile file;
  static const std::string path = file.path(".toml");
  std::vector<cli::ConfigKey> keys;
  for (const cli::OptionSpec& option : cli::option_table()) keys.push_back(cli::config_key(option));
  file.set_bytes({data, size});
  try {
    const cli::ConfigFile read = cli::read_config_file(path, keys);
    if (!read.problem.empty()) fuzz::check_line("the problem", base::printable(read.problem), 1000 + 4 * size);
    std::vector<int> times(keys.size());
    for (const cli::ConfigSetting& setting : read.settings) {
      const cli::ConfigKind kind = keys[setting.key].kind;
      if (kind == cli::ConfigKind::absent) fuzz::report("the key can be set", setting.where);
      if (++times[setting.key] > 1 && kind != cli::ConfigKind::texts)
        fuzz::report("a key is there once", setting.where);
    }
  } catch (const Error& error) {
    fuzz::check_error(Error(error.kind(), base::printable(error.what())), 1000 + 4 * size);
  }
  return 0;
}
