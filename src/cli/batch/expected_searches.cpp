#include "cli/batch/expected_searches.hpp"

#include "kann/error.hpp"

namespace kann::cli {

ExpectedSearches expected_searches(const JobSource& jobs, const Options& batch) {
  constexpr std::size_t maximum = 64;
  const std::vector<JobSource::Sampled> sampled = jobs.sample(maximum);
  ExpectedSearches expected;
  if (sampled.empty()) return expected;
  expected.repeats = static_cast<double>(*jobs.count()) / static_cast<double>(sampled.size());
  for (const auto& [job, before] : sampled) try {
      const Options options = options_of(job, batch);
      const ExpectedSearches one = expected_search(options);
      for (SearchSize size : one.sizes) {
        size.data_are_ordered = before && options_of(*before, batch).data == options.data;
        expected.sizes.push_back(size);
      }
    } catch (const Error&) {
      // A job that cannot run
    }
  return expected;
}

}  // namespace kann::cli
