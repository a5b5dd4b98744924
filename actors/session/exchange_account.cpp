#include "actors/session/exchange_account.hpp"

#include "actors/runtime/calendar.hpp"
#include "net/crypto.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/text/base_encodings.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr int client_closed = 499; // as nginx logs it

/// Metric label of a refusal.
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

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

} // namespace

std::string_view client_of(const protocol::http_request& request, const protocol::ip_networks& proxies,
                           std::string& proxied) {
  if (proxies.is_empty())
    return request.peer;
  auto client = protocol::original_of(request, proxies).client;
  proxied = client ? protocol::address_text(*client) : std::string{};
  return proxied;
}

exchange_account::exchange_account(const unit& at, const access_sink& log, const protocol::http_request& request,
                                   const protocol::ip_networks& proxies)
    : at_{&at}, log_{&log} {
  if (log)
    line_ = std::make_unique<line>(at, request, proxies);
}

exchange_account::line::line(const unit& at, const protocol::http_request& asked, const protocol::ip_networks& believed)
    : request{&asked}, proxies{&believed}, began{at.now()}, time{time_of_day(began)}, id{net::quick_random_64()},
      bytes_in{asked.body.size()} {}

exchange_account::request_parts<std::string_view> exchange_account::line::parts(std::string& proxied) const {
  if (kept)
    return {kept->client, kept->http_method, kept->path};
  return {client_of(*request, *proxies, proxied), request->method, path_of(request->target)};
}

void exchange_account::line::keep_parts() {
  std::string proxied;
  const auto [client, method, path] = parts(proxied);
  kept = std::make_unique<const request_parts<std::string>>(
      request_parts<std::string>{std::string{client}, std::string{method}, std::string{path}});
}

/// The last handle to a broker may be released on any thread. Outside of the unit's thread nothing is counted.
exchange_account::~exchange_account() {
  counts_ = counts_ && at_->is_current();
  if (line_ && make_abandoned_ && !is_stream_)
    answered(make_abandoned_().status, 0);
  else if (line_)
    closed();
}

std::string exchange_account::request_id() const { return line_ ? protocol::hex(line_->id) : std::string{}; }

// -- the request -------------------------------------------------------------------------

void exchange_account::came_from(const protocol::caller& who) {
  if (line_)
    line_->who = who;
}

void exchange_account::asks(std::string_view session, const protocol::message& what) {
  asks_of(session);
  if (!line_ || what.kind == protocol::message_kind::response || protocol::is_client_notification(what))
    return;
  line_->what = protocol::operation_of(what, at_->metrics());
}

void exchange_account::asks_of(std::string_view session) {
  if (line_ && !session.empty())
    line_->session_size = static_cast<std::uint8_t>(protocol::write_shown(session, line_->session.data()));
}

void exchange_account::is_of(const protocol::trace_position& where) {
  if (line_ && !std::exchange(line_->is_traced, true))
    protocol::write_trace_id(where, line_->trace_id.data());
}

// -- the answer --------------------------------------------------------------------------

/// Failures of the gateway itself (status 500) do not count as refused.
void exchange_account::refused(const protocol::rejection& why) {
  if (why.status != 500)
    at_->count(protocol::metric::refused, {reason_of(why.status)});
  if (line_)
    line_->refused_with = why.code;
}

void exchange_account::began() {
  constexpr int stream_status = 200;
  count_answer(stream_status);
  is_stream_ = true;
  if (!line_)
    return;
  line_->status = stream_status;
  line_->keep_parts();
}

void exchange_account::ended(const exchange_report& how) {
  if (line_)
    write(how);
}

void exchange_account::sent(std::size_t bytes) {
  if (line_)
    line_->bytes_out += bytes;
}

void exchange_account::answered(int status, std::size_t bytes, const exchange_report& how) {
  count_answer(status);
  if (!line_)
    return;
  line_->status = status;
  line_->bytes_out += bytes;
  write(how);
}

/// No error for GET: streams for a server's own messages always end like this.
void exchange_account::closed() {
  if (!is_stream_)
    count_answer(client_closed);
  if (!line_)
    return;
  if (!is_stream_)
    line_->status = client_closed;
  write({.error = line_->http_method() == "GET" ? "" : "closed"});
}

void exchange_account::count_answer(int status) const {
  if (auto* in = counts_ ? at_->metrics() : nullptr)
    in->responses(status).add_alone(1);
}

void exchange_account::write(const exchange_report& how) {
  const auto all = std::exchange(line_, nullptr);
  const auto now = protocol::time_point::clock::now(); // not `unit::now`, which is from the start of the thread's turn
  std::string proxied;
  const auto parts = all->parts(proxied);
  const auto refusal = all->refused_with != 0 ? std::to_string(all->refused_with) : std::string{};
  std::array<char, 16> id;
  protocol::write_hex(all->id, id.data());
  (*log_)({.at = all->time,
           .request = {id.data(), id.size()},
           .client = parts.client,
           .caller = all->who ? std::string_view{all->who->subject} : std::string_view{},
           .issuer = all->who ? std::string_view{all->who->issuer} : std::string_view{},
           .http_method = parts.http_method,
           .path = parts.path,
           .status = all->status,
           .session = {all->session.data(), all->session_size},
           .method = all->what.method,
           .tool = all->what.name,
           .server = how.server,
           .error = refusal.empty() ? how.error : refusal,
           .total = std::chrono::duration_cast<std::chrono::microseconds>(now - all->began),
           .in_server = std::chrono::duration_cast<std::chrono::microseconds>(how.in_server),
           .bytes_in = all->bytes_in,
           .bytes_out = all->bytes_out,
           .trace = all->is_traced ? std::string_view{all->trace_id.data(), all->trace_id.size()} : ""});
}

} // namespace troupe::actors
