// The checks of a job: --verify and --compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kann/accuracy.hpp"

#include "cli/job/context.hpp"
#include "cli/job/reference_meta.hpp"
#include "flow/rows/found.hpp"
#include "formats/neighbors/reference_file.hpp"

namespace kann::cli {

class Checks {
 public:
  /// `job` must outlive this object. @param threads the number of threads for judging
  Checks(const JobContext& job, int threads) : job_(job), threads_(threads) {}

  /// Opens the file of --compare, if there is one: before the clouds, so that a bad file has the same exit code
  /// whatever the search takes. Leaves a pipe to check_reference(), as its writer may come after those of the clouds.
  /// Blocks.
  /// @throws Error as formats::ReferenceFile.
  void open_reference();

  /// Refuses that file if it does not belong to the clouds, which the report identifies by their hashes as far as these
  /// are known. Blocks. @throws Error bad_input, and as formats::ReferenceFile.
  void check_reference();

  /// Refuses that file again once the report has the hashes. @throws Error bad_input.
  void check_clouds_of_reference();

  /// Makes all checks that were asked for, whether or not one fails. Blocks.
  /// @param groups of a search by group, which stay for the call
  /// @throws Error check_failed for the first check that fails.
  void make(const flow::Found& found, const std::optional<Groups>& groups);

 private:
  void open(const std::string& file);
  void check_ids(const std::string& file);
  AccuracyOptions accuracy_options(std::string_view check);
  double judged_queries(const AccuracyOptions& options) const;
  std::optional<std::string> verify(const flow::Found& found);
  std::optional<std::string> compare(const flow::Found& found);

  const JobContext& job_;
  const int threads_;
  std::optional<formats::ReferenceFile> reference_;
  ReferenceClaims claims_;
  std::optional<Groups> groups_;
};

}  // namespace kann::cli
