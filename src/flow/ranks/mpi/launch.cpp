#include "flow/ranks/mpi/launch.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kann::mpi {
namespace {

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

/// The number in a variable; 0 without one.
int number_in(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) return 0;
  const std::string_view text(value);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Whether Slurm itself serves PMIx. Only then are the processes of the step those that MPI connects.
bool is_pmix_of_slurm() {
  const char* const name = std::getenv("PMIX_NAMESPACE");
  return name && std::string_view(name).starts_with("slurm.");
}

/// How many processes the Slurm step of this process has; 0 outside of a step. It is also 0 for parts of a
/// heterogeneous job: they may run one step together, and each part knows only its own size.
int processes_of_step() { return is_set("SLURM_HET_SIZE") ? 0 : number_in("SLURM_STEP_NUM_TASKS"); }

bool is_child_of_srun() {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/comm");
  std::string name;
  return std::getline(file, name) && name == "slurmstepd";
}

}  // namespace

Launch read_launch() {
  // A launcher in a step of srun adds its variables to those of the step. mpirun hides the step's PMIx, MPICH's mpiexec
  // does not: with both PMIx and PMI, only MPI knows which of them counts.
  if (is_set("OMPI_COMM_WORLD_SIZE")) return {true, number_in("OMPI_COMM_WORLD_SIZE")};
  const bool has_pmi = is_set("PMI_RANK") || is_set("PMI_SIZE") || is_set("MPI_LOCALNRANKS");
  if (is_set("PMIX_RANK")) return {true, is_pmix_of_slurm() && !has_pmi ? processes_of_step() : 0};
  if (has_pmi) return {true, number_in("PMI_SIZE")};
  if (processes_of_step() > 1 && is_child_of_srun()) return {false, processes_of_step()};
  return {};
}

}  // namespace kann::mpi
