#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_exchanges.hpp"
#include "protocol/remote/repeated_fields.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Client side of Streamable HTTP without sessions (2026-07-28, transports). Every request is a POST of its own,
/// answered with JSON or a stream; nothing else is sent. Closing the answer cancels the request; a broken stream is not
/// resumed. Requests must carry their `_meta` already.
///
/// If the server refuses the header fields of a tool call, the tools are listed again and the call is sent once more.
/// If a request is refused as servers with sessions do, `server/discover` is sent again. Such a server may have
/// replaced this one; the session then ends.
class remote_stateless : public http_transport {
public:
  remote_stateless(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue)
      : options_{options}, caller_{caller}, dialogue_{dialogue}, kept_{options.held} {}

  void begin(time_point, remote_effects&) override {}
  bool ready() const override { return true; }
  /// Ignores notifications other than cancellations, and responses: 2026-07-28 has none from clients.
  void post(message what, time_point now, remote_effects& out) override;
  void waits(http_call_id call) override { exchanges_.waits(call); }
  void receive_event(http_call_id call, const call_begun&, time_point now, remote_effects&) override {
    exchanges_.begun(call, now);
  }
  void receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_ended& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_failed& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_withheld& news, time_point now, remote_effects& out) override;
  void tick(time_point now, remote_effects& out) override;
  time_point deadline() const override { return exchanges_.deadline(); }
  void drop_all(remote_effects& out) override;

private:
  /// Purpose of an exchange: a user's request; the first `server/discover`, whose failure may end the session; our
  /// request for a page of tools; our later `server/discover`.
  enum class purpose { request, discovery, tools_page, check };

  /// The id is empty once the request is answered; the rest of the answer is then read to its end.
  struct exchange : remote_exchange {
    purpose is = purpose::request;
    /// Tool call that may be sent once more.
    std::optional<kept_call> kept = {};
    bool lists_tools = false;
    bool listens = false;
  };

  exchange begin_exchange(const message& what) const;
  void send(exchange one, message what, time_point now, remote_effects& out);
  void keep(exchange& one, const message& what);
  void cancel(const std::string& id, remote_effects& out);
  void open_stream(exchange& one, time_point now, remote_effects& out);
  void release(const exchange& one, remote_effects& out);
  void refuse_head(exchange& one, bool is_json, time_point now, remote_effects& out);
  void receive_text(exchange& one, std::string text, time_point now, remote_effects& out);
  void receive_malformed(exchange& one, const text_ends& text, std::string_view why, time_point now,
                         remote_effects& out);
  void receive_response(exchange& one, message from, time_point now, remote_effects& out);
  void receive_json(exchange one, time_point now, remote_effects& out);
  void too_long(exchange one, time_point now, remote_effects& out);
  bool is_last_try(const exchange& one) const;
  void over(const exchange& one, const std::string& why, time_point now, remote_effects& out);
  void broken(const exchange& one, const std::string& why, time_point now, remote_effects& out);

  // -- requests of our own
  void list_tools(std::string_view cursor, time_point now, remote_effects& out);
  void receive_page(const message& from, time_point now, remote_effects& out);
  void send_mismatched(time_point now, remote_effects& out);
  void fail_mismatched(remote_effects& out);
  void check_era(time_point now, remote_effects& out);
  void end_check(const exchange& one, remote_effects& out);
  void lose_as_other_era(remote_effects& out);

  const remote_options& options_;
  remote_caller& caller_;
  remote_dialogue& dialogue_;
  tool_rules rules_;
  /// Budget of tool calls that may be sent once more.
  byte_budget kept_;
  mismatched_calls mismatched_;
  /// Number of pages of tools read for `mismatched_`.
  int pages_ = 0;
  /// True once the log mentions left-out tools.
  bool is_noted_ = false;
  /// First `server/discover`.
  std::optional<message> discovery_;
  /// True while `discovery_` is sent again.
  bool checks_ = false;
  /// True once the server has answered a request.
  bool spoke_ = false;
  remote_exchanges<exchange> exchanges_;
};

} // namespace troupe::protocol
