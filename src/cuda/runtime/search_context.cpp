#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

SearchContext::SearchContext(const Problem& p, std::shared_ptr<Staging> buffers)
    : problem(p), staging(std::move(buffers)), pool(stream) {
  const std::int64_t d = problem.dimensions;
  const std::int64_t own_queries = problem.self_query() ? 0 : problem.query_count;
  points = Buffer<float>(pool, (problem.data_count + own_queries) * d);
  ids = Buffer<std::int32_t>(pool, problem.query_count * problem.k);
  distances = Buffer<float>(pool, problem.query_count * problem.k);
  const auto upload = [&](const auto* from, std::int64_t count, auto* d_to) {
    upload_bytes(from, static_cast<std::size_t>(count * d) * sizeof *from, d_to);
  };
  upload(problem.data, problem.data_count, points.data());
  upload(problem.queries, own_queries, points.data() + problem.data_count * d);
  if (problem.is_rounded()) {
    given = Buffer<double>(pool, (problem.data_count + own_queries) * d);
    upload(problem.given_data, problem.data_count, given.data());
    upload(problem.given_queries, own_queries, given.data() + problem.data_count * d);
  }
  timer.lap(steps.upload);
}

Neighbors SearchContext::download(Neighbors result) {
  Neighbors out = std::move(result);
  out.queries = problem.query_count;
  out.k = problem.k;
  out.ids.resize(static_cast<std::size_t>(out.queries * out.k));
  out.distances.resize(out.ids.size());
  download_bytes(ids.data(), out.ids.size() * sizeof(std::int32_t), out.ids.data());
  download_bytes(distances.data(), out.distances.size() * sizeof(float), out.distances.data());
  timer.lap(steps.download);
  stream.synchronize();
  timer.collect();
  return out;
}

std::vector<std::int32_t> SearchContext::download_sample() {
  std::vector<std::int32_t> sampled(static_cast<std::size_t>(sample_ids.size()));
  download_bytes(sample_ids.data(), sampled.size() * sizeof(std::int32_t), sampled.data());
  stream.synchronize();
  return sampled;
}

/// The pinned buffers for a copy of this size; null: a plain copy.
Staging* SearchContext::staging_for(std::size_t bytes) {
  if (!staging && bytes >= k_worth_pinning_bytes) staging = std::make_shared<Staging>();
  return bytes >= k_plain_copy_bytes ? staging.get() : nullptr;
}

void SearchContext::upload_bytes(const void* from, std::size_t bytes, void* d_to) {
  if (bytes == 0) return;
  if (Staging* const buffers = staging_for(bytes)) return buffers->upload(from, bytes, d_to, stream, problem.threads);
  check(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, stream), "upload");
}

void SearchContext::download_bytes(const void* d_from, std::size_t bytes, void* to) {
  if (bytes == 0) return;
  if (Staging* const buffers = staging_for(bytes)) return buffers->download(d_from, bytes, to, stream, problem.threads);
  check(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, stream), "download");
}

}  // namespace kann::cuda
