// A build without LASzip: choose_format() and CloudFile refuse LAZ before anything else here is called.
#include "kann/error.hpp"

#include "formats/las/laz.hpp"

namespace kann::formats {

bool has_laszip() { return false; }

std::shared_ptr<const PackedRowSource> open_laz(Input& input, const LasHeader&, std::string&, std::string&) {
  throw Error(ErrorKind::internal, input.name() + ": LAZ without LASzip");
}

std::unique_ptr<CloudWriter> laz_writer(std::unique_ptr<CloudWriter>, const std::string& file) {
  throw Error(ErrorKind::internal, file + ": LAZ without LASzip");
}

}  // namespace kann::formats
