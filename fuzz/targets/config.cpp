// The file of --config: what is read of it is written and read again as the same.
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "cli/config/config_file.hpp"
#include "cli/options/option_table.hpp"
#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

namespace {

using namespace kann;

std::string lines_of(const cli::ConfigFile& file, const std::vector<cli::ConfigKey>& keys) {
  std::string lines;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    std::vector<std::string> texts;
    for (const cli::ConfigSetting& setting : file.settings)
      if (setting.key == key) texts.push_back(setting.text);
    if (texts.size() > 1 && keys[key].kind != cli::ConfigKind::texts) fuzz::report("a key is there once", texts[1]);
    if (!texts.empty()) lines += cli::config_line(keys[key], texts);
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file, written;
  static const std::string path = file.path(".toml"), written_path = written.path(".toml");
  std::vector<cli::ConfigKey> keys;
  for (const cli::OptionSpec& option : cli::option_table()) keys.push_back(cli::config_key(option));
  file.set_bytes({data, size});
  try {
    const cli::ConfigFile read = cli::read_config_file(path, keys);
    if (!read.problem.empty()) fuzz::check_line("the problem", base::printable(read.problem), 1000 + 4 * size);
    const std::string lines = lines_of(read, keys);
    written.set_bytes({reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size()});
    const cli::ConfigFile again = cli::read_config_file(written_path, keys);
    if (!again.problem.empty()) fuzz::report("what is written can be read", again.problem);
    if (lines_of(again, keys) != lines) fuzz::report("what is written is read as the same", lines);
  } catch (const Error& error) {
    fuzz::check_error(Error(error.kind(), base::printable(error.what())), 1000 + 4 * size);
  }
  return 0;
}
