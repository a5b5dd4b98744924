#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/troupe/access_record.hpp"
#include "protocol/http/http.hpp"
#include "protocol/http/original_request.hpp"
#include "protocol/message/message.hpp"
#include "protocol/trace/trace_position.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::actors {

/// The address of who has sent a request: where no proxy is believed, of who has connected.
std::string client_of(const protocol::http_request& request, const protocol::ip_networks& proxies);

/// Accounts for one exchange: counts its answer, and writes its line of the access log when that is complete, or when
/// the exchange ends without one. Lives on one unit, and may be destroyed elsewhere.
class exchange_account {
public:
  using clock = std::chrono::steady_clock;

  /// `log` outlives this; an empty one wants no lines.
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
  std::string request_id() const { return line_ ? std::string{line_->id.data(), line_->id.size()} : std::string{}; }

  // -- what is answered
  void refused(const protocol::rejection& why);
  void reported(exchange_report&& what);
  /// The answer is a stream.
  void began();
  void sent(std::size_t bytes);
  /// The stream is complete.
  void ended(exchange_report&& report);
  /// The answer is complete.
  void answered(int status, std::size_t bytes);
  /// The client went away.
  void closed();

private:
  /// What is told of it, and the texts of that.
  struct line {
    line(const protocol::http_request& request, const protocol::ip_networks& proxies);

    access_record told;
    std::array<char, 16> id;
    std::array<char, 32> trace_id;
    std::string client, http_method, path, session, tool, server, error;
    protocol::caller who;
  };

  void count(protocol::metric which, std::string_view label) const;
  void write();

  const unit* at_;
  bool counts_ = true;
  const access_sink* log_;
  clock::time_point began_ = {};
  protocol::http_response (*make_abandoned_)() = nullptr;
  bool is_stream_ = false;
  /// Null once it is written, or when nobody wants it.
  std::unique_ptr<line> line_;
};

} // namespace troupe::actors
