#include "net/client_trust.hpp"

#include <boost/asio/ssl/context.hpp>
#include <system_error>

namespace troupe::net {

namespace ssl = boost::asio::ssl;

client_trust::context client_trust::read(std::string& why_not) {
  std::error_code no_file;
  const auto changed = std::filesystem::last_write_time(ca_file_, no_file);
  return last_.with([&](what_was_read& last) {
    if (!last.kept || last.changed != changed)
      last = {read_anew(why_not), changed};
    return last.kept;
  });
}

client_trust::context client_trust::read_anew(std::string& why_not) const {
  auto result = std::make_shared<ssl::context>(ssl::context::tls_client);
  result->set_verify_mode(ssl::verify_peer);
  SSL_CTX_set_min_proto_version(result->native_handle(), TLS1_2_VERSION);
  // A machine without authorities of its own may still trust those of the file.
  boost::system::error_code ignored, error;
  result->set_default_verify_paths(ignored);
  if (!ca_file_.empty())
    result->load_verify_file(ca_file_, error);
  if (!error)
    return result;
  why_not = "cannot use the certificates in '" + ca_file_ + "': " + error.message();
  return nullptr;
}

} // namespace troupe::net
