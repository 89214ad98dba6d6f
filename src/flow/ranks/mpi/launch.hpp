// How this process was started, as the variables of its environment say. MPI is not started to find out: that takes
// .1 s and more, and in a shell that srun started, it would work once.
#pragma once

namespace kann::mpi {

struct Launch {
  bool has_mpi = false;  ///< whether a launcher of MPI started this process
  int processes = 0;     ///< how many were started together, this one included; 0 if that is not known

  /// Whether MPI may connect this process with others.
  bool needs_mpi() const { return has_mpi && processes != 1; }
};

/// Reads the variables of Open MPI's mpirun, of launchers with PMIx or PMI (Slurm's srun, MPICH's and Intel's mpiexec),
/// and of srun without MPI: the latter only if srun itself started this process, since the processes of a script that
/// it started several times may each search for something else.
Launch read_launch();

}  // namespace kann::mpi
