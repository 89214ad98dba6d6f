#include "program/ranks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "kann/error.hpp"

#include "cli/options/output_path.hpp"
#include "io/files/descriptor.hpp"

namespace kann::program {

void silence() {
  const io::Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nowhere.get() < 0) return;
  ::dup2(nowhere.get(), STDOUT_FILENO);
  ::dup2(nowhere.get(), STDERR_FILENO);
}

cli::Options options_of_rank(const cli::Options& options, const comm::Communicator& ranks) {
  if (options.is_batch() && !ranks.is_alone())
    throw Error(ErrorKind::usage, "several ranks: a batch is made by one process; start one mpirun per job, or none");
  cli::Options own = options;
  if (options.output_per_rank) {
    if (options.is_batch()) throw Error(ErrorKind::usage, "--output-per-rank does not go with a batch");
    if (options.output == "-") throw Error(ErrorKind::usage, "--output-per-rank does not go with --output -");
    own.output = cli::output_of_rank(options.output, ranks.rank(), ranks.size());
  }
  if (ranks.rank() > 0) own.report.reset();
  return own;
}

}  // namespace kann::program
