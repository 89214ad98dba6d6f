#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kann/device.hpp"
#include "kann/error.hpp"

#include "cli/options/output_path.hpp"
#include "cli/terminal/log.hpp"
#include "flow/ranks/mpi/launch.hpp"
#include "flow/ranks/mpi/world.hpp"
#include "formats/files/descriptor.hpp"
#include "program/run.hpp"
#include "search/devices/device_choice.hpp"

namespace kann::program {

void silence() {
  const formats::Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nowhere.get() < 0) return;
  ::dup2(nowhere.get(), STDOUT_FILENO);
  ::dup2(nowhere.get(), STDERR_FILENO);
}

namespace {

/// Without a number, the ranks of a host take its CUDA devices in turn, those that can be used if one must be. A rank
/// starts no other device than its own, as each start takes memory of that device.
DeviceChoice device_of_rank(const cli::Options& options, const flow::Communicator& ranks) {
  DeviceChoice own = options.search.device;
  const int count = detail::cuda_device_count();
  if (ranks.is_alone() || own.kind == DeviceKind::cpu || options.device_has_number || count == 0) return own;
  own.index = ranks.host_rank() % count;
  for (int left = count; own.kind == DeviceKind::cuda && left > 1 && !cuda_status(own.index).usable; --left)
    own.index = (own.index + 1) % count;
  return own;
}

}  // namespace

void check_connection(const cli::Options& options, cli::Report& report, const flow::Communicator& ranks) {
  const mpi::Launch launch = mpi::read_launch();
  if (!ranks.is_alone() || launch.processes <= 1) return;
  const std::string count = std::to_string(launch.processes) + " processes", srun = "srun --mpi=pmix (MPICH: pmi2)";
  if (launch.has_mpi && !mpi::is_available())
    throw Error(ErrorKind::usage, count + " were started by MPI, but this program was built without it; start one");
  if (launch.has_mpi)
    throw Error(ErrorKind::usage,
                count + " were started, but not by the MPI of this program; use its mpirun, or " + srun);
  const std::string unconnected = "srun started " + count + " without MPI";
  if (options.output_per_rank)
    throw Error(ErrorKind::usage, unconnected + ", which --output-per-rank needs; use " + srun);
  report.warnings.push_back(unconnected + ", each with a search of its own; for one search, use " + srun);
  cli::log_warning(report.warnings.back());
}

void check_same_arguments(int count, const char* const* arguments, flow::Communicator& ranks) {
  if (ranks.is_alone()) return;
  flow::Bytes own;
  for (int i = 1; i < count; ++i) {  // not the path of the program
    const auto* const argument = reinterpret_cast<const std::byte*>(arguments[i]);
    own.insert(own.end(), argument, argument + std::strlen(arguments[i]) + 1);
  }
  const std::vector<flow::Bytes> all = ranks.gather(std::move(own));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw Error(ErrorKind::usage,
                  "rank " + std::to_string(rank) + " has other options than rank 0; give all ranks the same");
}

cli::Options options_of_rank(const cli::Options& options, const flow::Communicator& ranks) {
  if (options.is_batch() && !ranks.is_alone())
    throw Error(ErrorKind::usage,
                "several ranks make one search; for a batch, give each process its own --jobs, as by a job array");
  cli::Options own = options;
  if (options.output_per_rank) {
    if (options.is_batch()) throw Error(ErrorKind::usage, "--output-per-rank does not go with a batch");
    const char* const whole = options.output == "-"       ? "--output -"
                              : options.cloud_format      ? "a cloud of the queries"
                              : !options.transfer.empty() ? "--transfer"
                              : !options.features.empty() ? "--features"
                              : options.outliers          ? "--outliers"
                                                          : nullptr;
    if (whole) throw Error(ErrorKind::usage, std::string("--output-per-rank does not go with ") + whole);
    own.output = cli::output_of_rank(options.output, ranks.rank(), ranks.size());
  }
  if (ranks.rank() > 0) own.report = own.html = std::nullopt;
  own.search.device = device_of_rank(options, ranks);
  return own;
}

}  // namespace kann::program
