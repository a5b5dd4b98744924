#include "net/known_addresses.hpp"

namespace troupe::net {

using namespace boost::asio::ip;

std::vector<address> known_addresses(const std::string& host) {
  if (host == "localhost")
    return {address_v6::loopback(), address_v4::loopback()};
  boost::system::error_code error;
  auto literal = make_address(host, error);
  return error ? std::vector<address>{} : std::vector{literal};
}

} // namespace troupe::net
