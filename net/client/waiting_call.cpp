#include "net/client/waiting_call.hpp"

#include "net/client/http_client_answer.hpp"
#include "net/owned_descriptor.hpp"
#include "net/tcp_connect.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t longest_answer_head = 64 * 1024;

error_code last_error() { return {errno, boost::system::system_category()}; }

/// Connects to a unix socket. The queue of the socket may be full for `time`.
owned_descriptor connected_to(const std::string& path, milliseconds time, error_code& error) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    error = asio::error::name_too_long;
    return {};
  }
  const asio::local::stream_protocol::endpoint to{path};
  owned_descriptor result{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const timeval limit{time.count() / 1000, time.count() % 1000 * 1000};
  if (!result || ::setsockopt(result.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      ::connect(result.get(), to.data(), static_cast<socklen_t>(to.size())) != 0) {
    error = last_error();
    return {};
  }
  return result;
}

/// HTTP call that blocks, from its connection to the end of its answer.
class waiting_call {
public:
  waiting_call(const waiting_limits& limits, const piece_taker& piece)
      : limits_{limits}, deadline_{std::chrono::steady_clock::now() + limits.time}, piece_{piece} {}

  waited_answer run(const http_call& what, const std::string& socket_path) {
    std::string why_not;
    const auto to = protocol::parse_http_url(what.url, why_not);
    const auto head = to ? request_head(what, *to, why_not) : "";
    if (!why_not.empty())
      fail(std::move(why_not));
    else if (socket_path.empty() ? connect_to_host({to->host, to->port}) : connect_to_socket(socket_path)) {
      send(head + what.body);
      receive();
    }
    return std::move(result_);
  }

private:
  bool connect_to_socket(const std::string& path) {
    error_code error;
    auto connected = connected_to(path, limits_.time, error);
    if (!connected)
      return refuse(error, error.message());
    socket_.emplace(context_);
    socket_->assign(tcp::v4(), connected.release());
    return true;
  }

  bool connect_to_host(protocol::host_port to) {
    error_code error;
    std::string why_not;
    const auto attempt =
        std::make_shared<tcp_connect>(context_.get_executor(), std::move(to), limits_.time, reach::any,
                                      [&](tcp::socket socket, error_code why, const std::string& text) {
                                        socket_.emplace(std::move(socket));
                                        error = why;
                                        why_not = text;
                                      });
    attempt->start();
    if (!finish()) {
      attempt->cancel();
      return false;
    }
    return why_not.empty() || refuse(error, std::move(why_not));
  }

  /// Sends the request; errors show in reading. A server may answer and close before it has read all.
  void send(const std::string& bytes) {
    asio::async_write(*socket_, asio::buffer(bytes), [](error_code, std::size_t) {});
    finish();
  }

  void receive() {
    while (result_.why_not.empty() && receive_some() && !answer_.is_done())
      continue;
  }

  /// False when there is nothing more to read.
  bool receive_some() {
    error_code error;
    std::size_t size = 0;
    socket_->async_read_some(asio::buffer(bytes_), [&](error_code why, std::size_t count) {
      error = why;
      size = count;
    });
    if (!finish())
      return false;
    if (error && error != asio::error::eof)
      return fail(error.message());
    if (error ? !answer_.finish() : !answer_.feed({bytes_.data(), size}))
      return fail(answer_.why_not());
    return collect();
  }

  bool collect() {
    if (auto head = answer_.take_head())
      result_.status = head->status;
    const auto body = answer_.take_body();
    if (is_handed_out())
      return body.empty() || piece_(body);
    result_.body += body;
    return result_.body.size() <= limits_.bytes ||
           fail("the answer is longer than " + std::to_string(limits_.bytes) + " bytes");
  }

  bool is_handed_out() const { return piece_ && result_.status == 200; }

  /// Runs pending operations to their end. False when the time was over before.
  bool finish() {
    context_.restart();
    if (is_handed_out())
      context_.run();
    else
      context_.run_until(deadline_);
    return context_.stopped() || fail("no whole answer within " + std::to_string(limits_.time.count()) + " ms");
  }

  bool refuse(error_code error, std::string why) {
    result_.is_unreachable =
        error == asio::error::connection_refused || error == boost::system::errc::no_such_file_or_directory;
    return fail(std::move(why));
  }
  bool fail(std::string why) {
    result_.why_not = std::move(why);
    return false;
  }

  waiting_limits limits_;
  std::chrono::steady_clock::time_point deadline_;
  const piece_taker& piece_;
  asio::io_context context_;
  std::optional<tcp::socket> socket_;
  http_client_answer answer_{longest_answer_head, false};
  std::array<char, std::size_t{64} * 1024> bytes_;
  waited_answer result_;
};

} // namespace

waited_answer wait_for_answer(const http_call& what, const std::string& socket_path, const waiting_limits& limits,
                              const piece_taker& piece) {
  return waiting_call{limits, piece}.run(what, socket_path);
}

} // namespace troupe::net
