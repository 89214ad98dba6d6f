// Without MPI.
#include "mpi/world.hpp"

namespace kann::mpi {

bool is_available() { return false; }

std::unique_ptr<comm::Communicator> connect() { return std::make_unique<comm::Alone>(); }

}  // namespace kann::mpi
