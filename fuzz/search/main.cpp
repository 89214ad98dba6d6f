// Random searches against brute force and against each other; scripts/fuzz-search builds and runs it. Prints each
// property that does not hold, with the smallest case found for it, and exits with 1.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "search/checks.hpp"
#include "search/shrink.hpp"

namespace {

using namespace kann;
using namespace kann::fuzz;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::uint64_t seconds = 60, seed = 1, first = 0, cases = ~std::uint64_t{0}, findings = 1;
  bool cuda = false;
  std::string only, out = "fuzz-search-findings";
};

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "fuzz-search: %s\n", message.c_str());
  std::exit(2);
}

std::uint64_t number(const std::string& name, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) stop(name + " expects a whole number");
  return value;
}

Arguments parse(int count, char** arguments) {
  Arguments a;
  const std::map<std::string_view, std::uint64_t*> numbers = {{"--seconds", &a.seconds},
                                                              {"--seed", &a.seed},
                                                              {"--first", &a.first},
                                                              {"--cases", &a.cases},
                                                              {"--findings", &a.findings}};
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) stop(name + " expects a value");
    const std::string value = arguments[i + 1];
    if (const auto found = numbers.find(name); found != numbers.end())
      *found->second = number(name, value);
    else if (name == "--device" && (value == "cpu" || value == "cuda"))
      a.cuda = value == "cuda";
    else if (name == "--check")
      a.only = value;
    else if (name == "--out")
      a.out = value;
    else
      stop("unknown argument '" + name + " " + value + "'; see scripts/fuzz-search --help");
  }
  return a;
}

void publish(const Arguments& a, const Check& check, const SearchCase& found, std::uint64_t number) {
  const auto fails = [&](const SearchCase& c) { return check.run(c).has_value(); };
  const SearchCase small = shrink(found, fails, std::chrono::seconds(20));
  const auto difference = check.run(small);
  const std::string folder = a.out + "/" + std::string(check.name) + "-" + std::to_string(number);
  const std::string what = difference ? difference->what : "does not fail again";
  const Where where = difference ? difference->where : Where{};
  const bool has_other = difference && difference->other;
  const Answer answer = difference ? difference->answer : Answer::rows;
  std::string command = write_case(small, has_other ? Where{} : where, answer, folder);
  if (has_other) command += "\n  " + write_case(*difference->other, where, answer, folder + "/other");
  std::printf(
      "%.*s does not hold: seed %llu, case %llu (%lld points, %lld queries), made %lld points, %lld queries\n  %s\n  "
      "%s\n",
      static_cast<int>(check.name.size()), check.name.data(), static_cast<unsigned long long>(a.seed),
      static_cast<unsigned long long>(number), static_cast<long long>(found.data.size()),
      static_cast<long long>(found.query_cloud().size()), static_cast<long long>(small.data.size()),
      static_cast<long long>(small.query_cloud().size()), what.c_str(), command.c_str());
  std::fflush(stdout);
}

int run(const Arguments& a) {
  if (a.cuda)
    if (const CudaStatus status = cuda_status(); !status.usable) stop("no CUDA device (" + status.reason + ")");
  if (!a.only.empty() && std::ranges::none_of(checks(), [&](const Check& check) {
        return check.name == a.only && (a.cuda || !check.needs_cuda);
      }))
    stop("there is no check '" + std::string(a.only) + "' on this device");
  const auto end = Clock::now() + std::chrono::seconds(a.seconds);
  std::map<std::string_view, std::uint64_t> failed;
  std::set<std::string_view> published;
  std::uint64_t number = a.first, findings = 0;
  for (; number - a.first < a.cases && findings < a.findings && Clock::now() < end; ++number) {
    const SearchCase c = random_case(a.seed, number);
    for (const Check& check : checks()) {
      if ((check.needs_cuda && !a.cuda) || (!a.only.empty() && a.only != check.name)) continue;
      if (!check.run(c)) continue;
      ++failed[check.name];
      ++findings;
      if (published.insert(check.name).second) publish(a, check, c, number);
    }
  }
  std::printf("fuzz-search: seed %llu, cases %llu to %llu", static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(a.first), static_cast<unsigned long long>(number));
  for (const auto& [name, count] : failed)
    std::printf(", %llu contradict %.*s", static_cast<unsigned long long>(count), static_cast<int>(name.size()),
                name.data());
  std::printf("%s\n", failed.empty() ? ", no difference" : "");
  return failed.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try { return run(parse(count, arguments)); } catch (const std::exception& error) {
  std::fprintf(stderr, "fuzz-search: %s\n", error.what());
  return 70;
}
