#include "net/endpoint.hpp"

#include "protocol/text/host_port.hpp"

#include <array>
#include <linux/filter.h>
#include <stdexcept>
#include <sys/socket.h>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

tcp::endpoint resolve(asio::io_context& context, const std::string& host, std::uint16_t port) {
  error_code error;
  tcp::resolver resolver{context};
  auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error)
    throw std::runtime_error("cannot listen on " + host + ": " + error.message());
  return *found.begin();
}

tcp::acceptor listen(asio::io_context& context, const tcp::endpoint& at) {
  try {
    tcp::acceptor result{context};
    result.open(at.protocol());
    result.set_option(tcp::acceptor::reuse_address{true});
    result.bind(at);
    result.listen();
    return result;
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + at.address().to_string() + " port " + std::to_string(at.port()) +
                             ": " + error.code().message());
  }
}

} // namespace

using namespace boost::asio::ip;

std::vector<address> known_addresses(const std::string& host) {
  if (host == "localhost")
    return {address_v6::loopback(), address_v4::loopback()};
  boost::system::error_code error;
  auto literal = make_address(host, error);
  return error ? std::vector<address>{} : std::vector{literal};
}

std::optional<tcp::endpoint> numeric_endpoint(const std::string& address) {
  auto place = protocol::read_host_port(address);
  if (!place || place->port == 0)
    return std::nullopt;
  error_code error;
  auto where = asio::ip::make_address(place->host, error);
  return error ? std::nullopt : std::optional{tcp::endpoint{where, place->port}};
}

tcp::acceptor listen_at(asio::io_context& context, const std::string& host, std::uint16_t port) {
  return listen(context, resolve(context, host, port));
}

/// Attaches a filter, which sees segments from their TCP header on; byte 13 holds the flags (RFC 9293, 3.1).
void begin_no_handshakes(tcp::acceptor& on) {
  constexpr std::uint32_t syn = 0x02;
  constexpr std::uint32_t nothing = 0;
  constexpr std::uint32_t all = 0xFFFFFFFF;
  std::array<sock_filter, 4> code{{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
                                   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, syn, 0, 1), BPF_STMT(BPF_RET | BPF_K, nothing),
                                   BPF_STMT(BPF_RET | BPF_K, all)}};
  const sock_fprog filter{code.size(), code.data()};
  ::setsockopt(on.native_handle(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

} // namespace troupe::net
