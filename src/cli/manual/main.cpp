// kann_manual FOLDER: writes the man page and the completions of the shells into the folder. Run by the build.
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "cli/manual/manual.hpp"

int main(int count, char** arguments) {
  using namespace kann::cli;
  if (count != 2) {
    std::fputs("usage: kann_manual FOLDER\n", stderr);
    return 2;
  }
  const std::pair<const char*, std::string> files[] = {{"kann.1", man_page()},
                                                       {"kann.bash", bash_completion()},
                                                       {"_kann", zsh_completion()},
                                                       {"kann.fish", fish_completion()}};
  for (const auto& [name, text] : files) {
    const std::string path = std::string(arguments[1]) + "/" + name;
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) {
      std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
      return 4;
    }
  }
}
