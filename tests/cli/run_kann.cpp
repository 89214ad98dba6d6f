#include "run_kann.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clouds.hpp"

extern char** environ;

namespace kann::test {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has_name(const std::string& variable, const std::string& name) { return variable.starts_with(name + "="); }

std::vector<std::string> environment(const Settings& settings) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "KANN_", 5) != 0 && std::strncmp(*variable, "NO_COLOR=", 9) != 0 &&
        std::ranges::none_of(settings.variables, [&](const auto& v) { return has_name(*variable, v.first); }))
      out.emplace_back(*variable);
  for (const auto& [name, value] : settings.variables) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void redirect(int stream, const fs::path& to) {
  const int fd = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, stream) < 0) _exit(99);
  close(fd);
}

pid_t spawn(std::vector<std::string> arguments, const Settings& settings, const fs::path& folder,
            const fs::path& streams, int stdin_fd) {
  arguments.insert(arguments.begin(), "kann");
  std::vector<std::string> variables = environment(settings);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  const fs::path out = fs::path(settings.stdout_path).is_absolute() ? fs::path(settings.stdout_path) : streams / "out";
  const fs::path err = streams / "err";

  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid > 0) return pid;
  if (chdir(folder.c_str()) != 0 || dup2(stdin_fd, STDIN_FILENO) < 0) _exit(99);
  if (settings.close_stderr)
    close(STDERR_FILENO);
  else
    redirect(STDERR_FILENO, err);
  if (settings.stdout_fd >= 0)
    dup2(settings.stdout_fd, STDOUT_FILENO);
  else if (settings.stdout_path.empty())
    close(STDOUT_FILENO);
  else
    redirect(STDOUT_FILENO, out);
  const rlimit limit{settings.address_space, settings.address_space};
  if (settings.address_space > 0 && setrlimit(RLIMIT_AS, &limit) != 0) _exit(99);
  execve(KANN_PROGRAM, argv.data(), envp.data());
  _exit(99);
}

Outcome wait_for(pid_t pid, const fs::path& streams) {
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of_file(streams / "out"),
          text_of_file(streams / "err")};
}

fs::path make_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "kann_test_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  return name;
}

}  // namespace

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (const char c : command) {
    const bool is_quote = quote ? c == quote : c == '\'' || c == '"';
    if (is_quote) quote = quote ? 0 : c;
    if (!quote && c == ' ') {
      is_in_word = false;
      continue;
    }
    if (!std::exchange(is_in_word, true)) words.emplace_back();
    if (!is_quote) words.back() += c;
  }
  if (quote) throw std::invalid_argument("no end of a quotation: " + command);
  return words;
}

testing::AssertionResult has(std::string_view text, std::string_view part) {
  return testing::AssertionResult(text.find(part) != text.npos) << "'" << part << "' in\n" << text;
}

testing::AssertionResult begins(std::string_view text, std::string_view part) {
  return testing::AssertionResult(text.starts_with(part)) << "'" << part << "' at the beginning of\n" << text;
}

testing::AssertionResult ends(std::string_view text, std::string_view part) {
  return testing::AssertionResult(text.ends_with(part)) << "'" << part << "' at the end of\n" << text;
}

std::string count_in(const Outcome& o) {
  const std::size_t head = o.out.find("queries  ");
  std::istringstream numbers(o.out.substr(std::min(o.out.find('\n', head), o.out.size())));
  std::string queries, neighbors;
  numbers >> queries >> neighbors;
  return neighbors;
}

ProgramTest::ProgramTest(std::string always)
    : always_(std::move(always)), streams_(make_temporary_folder()), folder_(make_temporary_folder()) {}

ProgramTest::~ProgramTest() {
  fs::remove_all(folder_);
  fs::remove_all(streams_);
}

Outcome ProgramTest::run(const Command& command, const Settings& settings) const {
  const fs::path input = settings.stdin_path.empty() ? streams_ / "in" : folder_ / settings.stdin_path;
  if (settings.stdin_path.empty()) std::ofstream(input, std::ios::binary) << settings.stdin_text;
  const int fd = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const pid_t pid = spawn(command.words, settings, folder_, streams_, fd);
  close(fd);
  return wait_for(pid, streams_);
}

Outcome ProgramTest::kann(const std::string& command, const Settings& settings) const {
  return run(always_ + " " + command, settings);
}

Outcome ProgramTest::succeeds(const std::string& command, const Settings& settings) const {
  Outcome outcome = kann(command, settings);
  EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.err;
  return outcome;
}

std::string ProgramTest::written(const std::string& command, const std::string& file) const {
  const Outcome outcome = succeeds(command);
  return file.empty() ? outcome.out : read_file(file);
}

std::string ProgramTest::error_of(const std::string& command, int exit_code, const Settings& settings) const {
  const Outcome outcome = kann(command, settings);
  EXPECT_EQ(outcome.exit_code, exit_code) << command << "\n" << outcome.err;
  return outcome.err;
}

void ProgramTest::expect_refused(const std::string& command, int exit_code, const std::string& error,
                                 const Settings& settings) const {
  const auto written = [this] {
    std::map<fs::path, fs::file_time_type> times;
    std::error_code no_time;  // of a link that leads nowhere
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      times[entry.path()] = entry.last_write_time(no_time);
    return times;
  };
  const auto before = written();
  const Outcome outcome = kann(command, settings);
  EXPECT_EQ(outcome.exit_code, exit_code) << command;
  EXPECT_EQ(outcome.err, "kann: error: " + error + "\n") << command;
  EXPECT_EQ(outcome.out, "") << command;
  EXPECT_TRUE(written() == before) << command << ": files have changed";
}

pid_t ProgramTest::start(const Command& command, const Settings& settings) {
  fs::remove(streams_ / "err");  // of the run before, which messages() could read until the program starts
  if (pipe2(open_pipe_, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return spawn(command.words, settings, folder_, streams_, open_pipe_[0]);
}

Outcome ProgramTest::finish(pid_t pid) {
  const Outcome outcome = wait_for(pid, streams_);
  for (int& fd : open_pipe_)
    if (fd >= 0) close(std::exchange(fd, -1));
  return outcome;
}

void ProgramTest::send(const std::string& text) const {
  if (write(open_pipe_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("write");
}

void ProgramTest::end_input() { close(std::exchange(open_pipe_[1], -1)); }

std::string ProgramTest::messages() const { return text_of_file(streams_ / "err"); }

void ProgramTest::write_file(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

std::string ProgramTest::read_file(const std::string& name) const { return text_of_file(path(name)); }

void ProgramTest::write_cloud(const std::string& name, int n, std::uint64_t seed) const {
  const Coordinates c = uniform(n, 3, seed);
  std::ostringstream text;
  for (int i = 0; i < n; ++i) text << c[i * 3] << ' ' << c[i * 3 + 1] << ' ' << c[i * 3 + 2] << '\n';
  write_file(name, text.str());
}

std::vector<std::string> ProgramTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace kann::test
