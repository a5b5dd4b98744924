#include "tests/bench/floor_http.hpp"

#include "tests/bench/floor_connection.hpp"

#include <utility>

namespace troupe::bench {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// An event in one chunk, as the gateway sends it.
constexpr std::string_view event = "65\r\nevent: message\nid: 0123abcd-2-1\ndata: "
                                   R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
                                   "\n\n\r\n";
static_assert(event.size() == 4 + 0x65 + 2);

} // namespace

floor_server::floor_server(asio::io_context& context, std::uint16_t port, answers from,
                           std::vector<std::string> command)
    : context_(context), acceptor_(context, {asio::ip::address_v4::loopback(), port}), from_(from),
      command_(std::move(command)) {
  acceptor_.listen(tcp::acceptor::max_listen_connections);
  do_accept();
}

floor_server::~floor_server() = default;

std::shared_ptr<floor_child> floor_server::child() {
  if (from_ == answers::canned)
    return nullptr;
  if (from_ == answers::shared_child && shared_)
    return shared_;
  auto child = std::make_shared<floor_child>(context_, command_);
  child->begin();
  if (from_ == answers::shared_child)
    shared_ = child;
  return child;
}

void floor_server::publish() {
  for (const auto& stream : streams_)
    stream->send(event);
}

void floor_server::do_accept() {
  acceptor_.async_accept([this](auto error, tcp::socket socket) {
    if (!error)
      std::make_shared<floor_connection>(std::move(socket), *this)->begin();
    do_accept();
  });
}

} // namespace troupe::bench
