#pragma once

#include "protocol/message/message.hpp"
#include "protocol/message/modern_refusal.hpp"
#include "protocol/remote/remote_answer.hpp"
#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/streamable_exchange.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Detection, from refusals, of a server that does not speak Streamable HTTP with sessions, but HTTP+SSE or the
/// stateless revision (2026-07-28). Only refusals of `initialize` are noted; the configuration may rule out either.
class transport_detection {
public:
  explicit transport_detection(const remote_options& options) : options_{options} {}

  /// Notes a refusal of `initialize`. True if servers of HTTP+SSE answer this way.
  bool note_refusal(const streamable_exchange& one) {
    if (!may_be_of_sse(one))
      return false;
    mistaken_ = one.refusal;
    return true;
  }

  /// Notes an error with which `initialize` was refused; `text` is its body. True if stateless servers answer this way.
  bool note_error(const streamable_exchange& one, const message& error, std::string_view text) {
    if (!is_stateless(one, error))
      return false;
    perhaps_mistaken_ = may_be_of_sse(one) ? one.refusal + words_of(text) : "";
    return true;
  }

  /// Whether a stateless (2026-07-28) server has replaced the server of the session, which refused a later request.
  bool is_replaced(const streamable_exchange& one, const message& error) const {
    return one.status == 400 && is_stateless(one, error);
  }

  // -- see `http_transport`
  const std::string& mistaken() const { return mistaken_; }
  const std::string& perhaps_mistaken() const { return perhaps_mistaken_; }

private:
  /// Servers of 2024-11-05 refuse a POST to the URL of their stream (2025-11-25, transports, "Backwards
  /// Compatibility").
  bool may_be_of_sse(const streamable_exchange& one) const {
    constexpr std::array<int, 5> of_other_servers{400, 404, 405, 406, 415};
    auto other = std::find(of_other_servers.begin(), of_other_servers.end(), one.status) != of_other_servers.end();
    return other && one.is == streamable_exchange::kind::request && options_.kind == remote_kind::detect;
  }

  /// Accepts an error that names no request: a header field of the request may have been wrong.
  bool is_stateless(const streamable_exchange& one, const message& error) const {
    return options_.era == server_era::automatic && is_surely_modern(error, one.status) && answers(error, one.id);
  }

  const remote_options& options_;
  std::string mistaken_;
  std::string perhaps_mistaken_;
};

} // namespace troupe::protocol
