#include "io/results/npz_writer.hpp"

#include "io/results/npy_writer.hpp"
#include "io/results/zip_writer.hpp"

namespace kann::io {

void write_npz(const Neighbors& neighbors, std::string_view meta_json, ByteSink& sink, int threads) {
  ZipWriter zip(sink, threads);
  zip.add("ids.npy",
          {as_bytes(npy_header("<i4", {neighbors.queries, neighbors.k})), std::as_bytes(std::span(neighbors.ids))});
  zip.add("distances.npy", {as_bytes(npy_header("<f4", {neighbors.queries, neighbors.k})),
                            std::as_bytes(std::span(neighbors.distances))});
  zip.add("meta.npy", {as_bytes(npy_text(meta_json))});
  zip.finish();
}

}  // namespace kann::io
