#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/troupe/access_record.hpp"
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

/// The address of who has sent a request: where no proxy is believed, of who has connected. `proxied` keeps it when
/// a proxy tells it.
std::string_view client_of(const protocol::http_request& request, const protocol::ip_networks& proxies,
                           std::string& proxied);

/// Accounts for one exchange: counts its answer, and writes its line of the access log when that is complete, or when
/// the exchange ends without one. Lives on one unit, and may be destroyed elsewhere, before the exchange is.
class exchange_account {
public:
  /// `log` and `proxies` outlive this; an empty log wants no lines. `request` is there until the answer is complete or
  /// a stream begins, and when there is neither, outlives this.
  exchange_account(const unit& at, const access_sink& log, const protocol::http_request& request,
                   const protocol::ip_networks& proxies);
  exchange_account(exchange_account&& other) noexcept = default;
  exchange_account& operator=(exchange_account&&) = delete;
  ~exchange_account();

  // -- what is asked
  void came_from(const protocol::caller& who);
  void asks(std::string_view session, const protocol::message& what);
  void asks_of(std::string_view session);
  void is_of(const protocol::trace_position& where);
  /// Makes the answer when there is none in the end.
  void unless_answered(protocol::http_response (*make)()) { make_abandoned_ = make; }

  /// How the access log calls the exchange; empty when there is none.
  std::string request_id() const;

  // -- what is answered
  void refused(const protocol::rejection& why);
  /// The answer is about to be a stream.
  void began();
  void sent(std::size_t bytes);
  /// The stream is complete.
  void ended(const exchange_report& how);
  /// The answer is complete.
  void answered(int status, std::size_t bytes, const exchange_report& how = {});
  /// The client went away.
  void closed();

private:
  /// What the request itself tells.
  template <class Text>
  struct told_by_request {
    Text client, http_method, path;
  };
  /// What is told of it.
  struct line {
    line(const unit& at, const protocol::http_request& asked, const protocol::ip_networks& believed);

    std::string_view http_method() const { return kept ? kept->http_method : request->method; }
    /// `proxied` as that of `client_of`.
    told_by_request<std::string_view> told(std::string& proxied) const;
    /// Keeps what the request tells: it is about to be gone.
    void keep_told();

    const protocol::http_request* request;
    const protocol::ip_networks* proxies;
    protocol::time_point began;
    std::chrono::system_clock::time_point time;
    std::uint64_t id;
    std::size_t bytes_in, bytes_out = 0;
    int status = 0;
    /// The JSON-RPC code by which it was refused; 0 when it was not.
    int refused_with = 0;
    bool is_traced = false;
    std::uint8_t session_size = 0;
    /// As logs show it.
    std::array<char, protocol::longest_shown_id> session;
    std::array<char, 32> trace_id;
    protocol::operation what = {};
    protocol::caller who = {};
    /// Null as long as the request is there.
    std::unique_ptr<const told_by_request<std::string>> kept = {};
  };

  void count_answer(int status) const;
  void write(const exchange_report& how);

  const unit* at_;
  bool counts_ = true;
  const access_sink* log_;
  protocol::http_response (*make_abandoned_)() = nullptr;
  bool is_stream_ = false;
  /// Null once it is written, or when nobody wants it.
  std::unique_ptr<line> line_;
};

} // namespace troupe::actors
