#include "actors/session/exchange_account.hpp"

#include "net/random.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/session_id.hpp"
#include "protocol/text/hex.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

constexpr int client_closed = 499; // as nginx logs it

/// What a refusal is counted as.
std::string_view reason_of(int status) {
  switch (status) {
  case 401:
    return "not_authenticated";
  case 403:
    return "not_allowed";
  case 404:
    return "not_found";
  case 405:
    return "wrong_http_method";
  case 406:
  case 415:
    return "wrong_media_type";
  case 413:
    return "too_large";
  case 429:
    return "too_many_requests";
  case 503:
    return "unavailable";
  default:
    return "bad_request";
  }
}

} // namespace

std::string client_of(const protocol::http_request& request, const protocol::ip_networks& proxies) {
  if (proxies.is_empty())
    return std::string{request.peer};
  auto client = protocol::original_of(request, proxies).client;
  return client ? protocol::address_text(*client) : std::string{};
}

exchange_account::exchange_account(const unit& at, const access_sink& log, const protocol::http_request& request,
                                   const protocol::ip_networks& proxies)
    : at_{&at}, log_{&log} {
  if (!log)
    return;
  began_ = clock::now();
  line_ = std::make_unique<line>(request, proxies);
}

exchange_account::line::line(const protocol::http_request& request, const protocol::ip_networks& proxies)
    : client{client_of(request, proxies)}, http_method{request.method}, path{request.target} {
  path.resize(std::min(path.find('?'), path.size()));
  told.at = std::chrono::system_clock::now();
  told.bytes_in = request.body.size();
  protocol::write_hex(net::quick_random_64(), id.data());
}

/// Whoever lets go of the last handle to a broker ends it, on any thread: that is counted nowhere.
exchange_account::~exchange_account() {
  counts_ = counts_ && at_->is_current();
  if (line_ && make_abandoned_ && !is_stream_)
    answered(make_abandoned_().status, 0);
  else if (line_)
    closed();
}

// -- what is asked -----------------------------------------------------------------------

void exchange_account::came_from(const protocol::caller& who) {
  if (line_)
    line_->who = who;
}

void exchange_account::asks(std::string_view session, const protocol::message& what) {
  asks_of(session);
  if (!line_ || what.kind != protocol::message_kind::request)
    return;
  auto asked = protocol::operation_of(what);
  line_->told.method = asked.method;
  line_->tool = std::move(asked.name);
}

void exchange_account::asks_of(std::string_view session) {
  if (line_ && !session.empty())
    line_->session = protocol::shown(session);
}

void exchange_account::is_of(const protocol::trace_position& where) {
  if (!line_ || !line_->told.trace.empty())
    return;
  protocol::write_trace_id(where, line_->trace_id.data());
  line_->told.trace = {line_->trace_id.data(), line_->trace_id.size()};
}

// -- what is answered --------------------------------------------------------------------

/// What fails in the gateway's hands is not refused.
void exchange_account::refused(const protocol::rejection& why) {
  if (why.status != 500)
    count(protocol::metric::refused, reason_of(why.status));
  if (line_)
    line_->error = std::to_string(why.code);
}

void exchange_account::reported(exchange_report&& what) {
  if (!line_)
    return;
  line_->error = std::move(what.error);
  line_->server = std::move(what.server);
  line_->told.in_server = std::chrono::duration_cast<std::chrono::microseconds>(what.in_server);
}

void exchange_account::began() {
  constexpr int stream_status = 200;
  count(protocol::metric::responses, std::to_string(stream_status));
  is_stream_ = true;
  if (line_)
    line_->told.status = stream_status;
}

void exchange_account::ended(exchange_report&& report) {
  reported(std::move(report));
  if (line_)
    write();
}

void exchange_account::sent(std::size_t bytes) {
  if (line_)
    line_->told.bytes_out += bytes;
}

void exchange_account::answered(int status, std::size_t bytes) {
  count(protocol::metric::responses, std::to_string(status));
  if (!line_)
    return;
  line_->told.status = status;
  line_->told.bytes_out += bytes;
  write();
}

/// Streams for a server's own messages end no other way.
void exchange_account::closed() {
  if (!is_stream_)
    count(protocol::metric::responses, std::to_string(client_closed));
  if (!line_)
    return;
  if (!is_stream_)
    line_->told.status = client_closed;
  if (line_->http_method != "GET")
    line_->error = "closed";
  write();
}

void exchange_account::count(protocol::metric which, std::string_view label) const {
  if (counts_)
    at_->count(which, {label});
}

void exchange_account::write() {
  const auto all = std::exchange(line_, nullptr);
  auto& told = all->told;
  told.total = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began_);
  told.request = {all->id.data(), all->id.size()};
  told.client = all->client;
  told.caller = all->who ? std::string_view{all->who->subject} : std::string_view{};
  told.http_method = all->http_method;
  told.path = all->path;
  told.session = all->session;
  told.tool = all->tool;
  told.server = all->server;
  told.error = all->error;
  (*log_)(told);
}

} // namespace troupe::actors
