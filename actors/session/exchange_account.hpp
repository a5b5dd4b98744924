#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/troupe/access_record.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/http/http.hpp"
#include "protocol/http/original_request.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/trace_position.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::actors {

/// Returns the address of a request's client: the peer's, unless proxies are trusted. `proxied` holds the text when a
/// trusted proxy reports it.
std::string_view client_of(const protocol::http_request& request, const protocol::ip_networks& proxies,
                           std::string& proxied);

/// Accounts for one exchange: counts its answer, and writes its access log line when the answer is complete or the
/// exchange ends without one. Use on one unit. It may be destroyed on another thread, before the exchange.
class exchange_account {
public:
  /// `log` and `proxies` outlive this; with an empty log, no line is written. `request` stays valid until the answer is
  /// complete or a stream begins; with neither, it outlives this.
  exchange_account(const unit& at, const access_sink& log, const protocol::http_request& request,
                   const protocol::ip_networks& proxies);
  exchange_account(exchange_account&& other) noexcept = default;
  exchange_account& operator=(exchange_account&&) = delete;
  ~exchange_account();

  // -- the request
  void came_from(const protocol::caller& who);
  void asks(std::string_view session, const protocol::message& what);
  void asks_of(std::string_view session);
  void is_of(const protocol::trace_position& where);
  /// Sets the answer to account for when the exchange ends without one.
  void set_abandoned_answer(protocol::http_response (*make)()) { make_abandoned_ = make; }

  /// Id of the exchange in the access log; empty without a log.
  std::string request_id() const;

  // -- the answer
  void refused(const protocol::rejection& why);
  /// Call before the answer becomes a stream.
  void began();
  void sent(std::size_t bytes);
  /// Call when the stream is complete.
  void ended(const exchange_report& how);
  /// Call when the answer is complete.
  void answered(int status, std::size_t bytes, const exchange_report& how = {});
  /// Call when the client has disconnected.
  void closed();

private:
  /// Parts of the log line that come from the request.
  template <class Text>
  struct request_parts {
    Text client, http_method, path;
  };
  /// Data for the log line.
  struct line {
    line(const unit& at, const protocol::http_request& asked, const protocol::ip_networks& believed);

    std::string_view http_method() const { return kept ? kept->http_method : request->method; }
    /// Parts that come from the request; `proxied` as for `client_of`.
    request_parts<std::string_view> parts(std::string& proxied) const;
    /// Copies the parts that come from the request, before it is gone.
    void keep_parts();

    const protocol::http_request* request;
    const protocol::ip_networks* proxies;
    protocol::time_point began;
    std::chrono::system_clock::time_point time;
    std::uint64_t id;
    std::size_t bytes_in, bytes_out = 0;
    int status = 0;
    /// JSON-RPC code of the refusal; 0 if not refused.
    int refused_with = 0;
    bool is_traced = false;
    std::uint8_t session_size = 0;
    /// Session id, shortened as in logs.
    std::array<char, protocol::longest_shown_id> session;
    std::array<char, 32> trace_id;
    protocol::operation what = {};
    protocol::caller who = {};
    /// Null while the request exists.
    std::unique_ptr<const request_parts<std::string>> kept = {};
  };

  void count_answer(int status) const;
  void write(const exchange_report& how);

  const unit* at_;
  bool counts_ = true;
  const access_sink* log_;
  protocol::http_response (*make_abandoned_)() = nullptr;
  bool is_stream_ = false;
  /// Null once written, or without a log.
  std::unique_ptr<line> line_;
};

} // namespace troupe::actors
