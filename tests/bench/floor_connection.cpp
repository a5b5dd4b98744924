#include "tests/bench/floor_connection.hpp"

#include "tests/bench/json_member.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace troupe::bench {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr std::size_t longest_body = 8 * 1024 * 1024;
constexpr std::string_view session_id = "0123456789abcdef0123456789abcdef";
constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

std::string canned(std::string_view id) {
  std::string result = R"({"jsonrpc":"2.0","id":)";
  result += id;
  result += R"(,"result":{"content":[{"type":"text","text":"hello from the floor"}]}})";
  return result;
}

} // namespace

floor_connection::floor_connection(tcp::socket socket, floor_server& server)
    : socket_(std::move(socket)), server_(server), child_(server.child()) {
  boost::system::error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
}

floor_connection::~floor_connection() {
  if (child_ && server_.owns_child())
    child_->end();
}

void floor_connection::send(std::string_view bytes) {
  boost::system::error_code ignored;
  asio::write(socket_, asio::buffer(bytes), ignored);
}

void floor_connection::do_read() {
  parser_.emplace();
  parser_->body_limit(longest_body);
  http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](auto error, auto) {
    if (!error)
      self->on_read();
  });
}

void floor_connection::on_read() {
  switch (parser_->get().method()) {
  case http::verb::post:
    return on_post();
  case http::verb::get:
    return begin_stream();
  default: // DELETE, the end of a session
    return respond(http::status::ok, {});
  }
}

void floor_connection::on_post() {
  const auto& body = parser_->get().body();
  const auto id = member(body, "id");
  if (!child_)
    return answer_canned(id);
  if (id.empty()) {
    child_->tell(body);
    return respond(http::status::accepted, {});
  }
  child_->ask(body,
              [self = shared_from_this()](std::string line) { self->respond(http::status::ok, std::move(line)); });
}

void floor_connection::answer_canned(std::string_view id) {
  if (id.empty())
    return respond(http::status::accepted, {});
  if (parser_->get().body().find(R"("notify")") != std::string::npos)
    server_.publish();
  respond(http::status::ok, canned(id));
}

void floor_connection::begin_stream() {
  send(stream_head);
  server_.streams(shared_from_this());
  do_wait_for_end();
}

void floor_connection::do_wait_for_end() {
  socket_.async_read_some(asio::buffer(&unexpected_, 1), [self = shared_from_this()](auto error, auto) {
    if (error)
      self->server_.streams_no_more(self);
  });
}

void floor_connection::respond(http::status status, std::string body) {
  response_ = {status, 11};
  response_.set("Mcp-Session-Id", session_id);
  if (!body.empty())
    response_.set(http::field::content_type, "application/json");
  response_.body() = std::move(body);
  response_.prepare_payload();
  http::async_write(socket_, response_, [self = shared_from_this()](auto error, auto) {
    if (!error)
      self->do_read();
  });
}

} // namespace troupe::bench
