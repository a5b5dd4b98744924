#include "actors/troupe/access_key.hpp"

#include "net/crypto.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/text/base_encodings.hpp"

namespace troupe {

made_key make_access_key() {
  made_key result;
  result.secret =
      std::string{protocol::key_prefix} + protocol::hex(net::random_128()) + protocol::hex(net::random_128());
  result.hash = net::digest_hex(result.secret);
  return result;
}

} // namespace troupe
