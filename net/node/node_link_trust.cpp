#include "net/node/node_link_trust.hpp"

#include <stdexcept>
#include <system_error>
#include <utility>

namespace troupe::net {

namespace {

bool has_files(const node_link_files& files) {
  return !files.certificate.empty() || !files.private_key.empty() || !files.ca_file.empty();
}

} // namespace

node_link_trust::node_link_trust(node_link_files files, const std::vector<std::string>& keys)
    : files_{std::move(files)}, read_at_{changed()}, context_{has_files(files_) ? node_link_tls(files_)
                                                                                : node_link_keyed_tls(keys)} {}

void node_link_trust::use(const std::vector<std::string>& keys) {
  if (!has_files(files_))
    context_ = node_link_keyed_tls(keys);
}

/// They may be replaced one after the other: what does not fit together is read again with the next of them.
std::optional<std::string> node_link_trust::look() {
  const auto now = has_files(files_) ? changed() : read_at_;
  if (now == read_at_)
    return std::nullopt;
  read_at_ = now;
  try {
    context_ = node_link_tls(files_);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

node_link_trust::times node_link_trust::changed() const {
  times result;
  std::error_code no_file;
  auto at = result.begin();
  for (auto file : {&files_.certificate, &files_.private_key, &files_.ca_file})
    *at++ = std::filesystem::last_write_time(*file, no_file);
  return result;
}

} // namespace troupe::net
