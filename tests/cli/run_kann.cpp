#include "run_kann.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
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

std::string count_in(const Outcome& o) {
  const std::size_t head = o.out.find("queries  ");
  std::istringstream numbers(o.out.substr(std::min(o.out.find('\n', head), o.out.size())));
  std::string queries, neighbors;
  numbers >> queries >> neighbors;
  return neighbors;
}

ProgramTest::ProgramTest() : streams_(make_temporary_folder()), folder_(make_temporary_folder()) {}

ProgramTest::~ProgramTest() {
  fs::remove_all(folder_);
  fs::remove_all(streams_);
}

Outcome ProgramTest::run(const std::vector<std::string>& arguments, const Settings& settings) const {
  const fs::path input = settings.stdin_path.empty() ? streams_ / "in" : folder_ / settings.stdin_path;
  if (settings.stdin_path.empty()) std::ofstream(input, std::ios::binary) << settings.stdin_text;
  const int fd = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const pid_t pid = spawn(arguments, settings, folder_, streams_, fd);
  close(fd);
  return wait_for(pid, streams_);
}

pid_t ProgramTest::start(const std::vector<std::string>& arguments, const Settings& settings) {
  fs::remove(streams_ / "err");  // of the run before, which messages() could read until the program starts
  if (pipe2(open_pipe_, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return spawn(arguments, settings, folder_, streams_, open_pipe_[0]);
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
