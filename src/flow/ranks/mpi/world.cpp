#include "flow/ranks/mpi/world.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mpi.h>
#include <new>
#include <span>
#include <vector>

#include "flow/ranks/mpi/launch.hpp"

namespace kann::mpi {
namespace {

using flow::Bytes;

/// The most bytes of a message: MPI counts them in an int.
constexpr std::int64_t k_most = std::int64_t{1} << 30;

/// Calls f(). If memory runs out in it, this rank may leave the others waiting in a call of MPI, so it ends all of
/// them.
template <class F>
auto or_abort(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ErrorKind::resources));
    std::abort();
  }
}

class World : public flow::Communicator {
 public:
  World() {
    int provided;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &host_size_);
    MPI_Comm_rank(host, &host_rank_);
    MPI_Comm_free(&host);
  }
  ~World() override {
    // MPI_Finalize() need not wait, and launchers end all ranks when one exits with an error
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int size() const override { return size_; }
  int rank() const override { return rank_; }
  int host_size() const override { return host_size_; }
  int host_rank() const override { return host_rank_; }

 private:
  std::vector<Bytes> gather_all(Bytes own) override {
    return or_abort([&] {
      const auto count = static_cast<std::int64_t>(own.size());
      std::vector<std::int64_t> counts(static_cast<std::size_t>(size_));
      MPI_Allgather(&count, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
      return exchanged(std::vector<std::span<const std::byte>>(static_cast<std::size_t>(size_), own), counts);
    });
  }

  std::vector<Bytes> exchange_all(std::vector<Bytes> to) override {
    return or_abort([&] {
      std::vector<std::int64_t> sent, counts(to.size());
      for (const Bytes& bytes : to) sent.push_back(static_cast<std::int64_t>(bytes.size()));
      MPI_Alltoall(sent.data(), 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
      return exchanged({to.begin(), to.end()}, counts);
    });
  }

  /// Sends to[r] to rank r, and receives counts[r] bytes from it.
  std::vector<Bytes> exchanged(const std::vector<std::span<const std::byte>>& to,
                               const std::vector<std::int64_t>& counts) const {
    std::vector<Bytes> from(to.size());
    std::vector<MPI_Request> requests;
    const auto for_each_piece = [](std::int64_t bytes, auto f) {
      for (std::int64_t at = 0; at < bytes; at += k_most) f(at, static_cast<int>(std::min(k_most, bytes - at)));
    };
    for (int step = 0; step < size_; ++step) {  // with another rank each, so that not all send to rank 0 first
      const int source = (rank_ - step + size_) % size_, target = (rank_ + step) % size_;
      Bytes& received = from[static_cast<std::size_t>(source)];
      received.resize(static_cast<std::size_t>(counts[static_cast<std::size_t>(source)]));
      for_each_piece(static_cast<std::int64_t>(received.size()), [&](std::int64_t at, int bytes) {
        MPI_Irecv(received.data() + at, bytes, MPI_BYTE, source, 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
      const auto& sent = to[static_cast<std::size_t>(target)];
      for_each_piece(static_cast<std::int64_t>(sent.size()), [&](std::int64_t at, int bytes) {
        MPI_Isend(sent.data() + at, bytes, MPI_BYTE, target, 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return from;
  }

  int size_ = 1, rank_ = 0, host_size_ = 1, host_rank_ = 0;
};

}  // namespace

bool is_available() { return true; }

std::unique_ptr<flow::Communicator> connect() {
  if (read_launch().needs_mpi()) return std::make_unique<World>();
  return std::make_unique<flow::Alone>();
}

}  // namespace kann::mpi
