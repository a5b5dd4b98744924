#pragma once

#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_exchanges.hpp"

#include <optional>
#include <string>

namespace troupe::protocol {

/// Client side of HTTP+SSE (2024-11-05, transports). One stream carries all messages of the server, and the URL to
/// which messages are POSTed. The stream is the session and ends it.
class remote_sse : public http_transport {
public:
  remote_sse(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue)
      : options_{options}, caller_{caller}, dialogue_{dialogue}, answer_{remote_answer::form::events, options.message,
                                                                         true} {}

  void begin(time_point now, remote_effects& out) override;
  bool ready() const override { return !endpoint_.empty(); }
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
  time_point deadline() const override;
  void drop_all(remote_effects& out) override;

private:
  /// POST of a message.
  struct exchange : remote_exchange {
    bool initialized = false;
    /// Cancellation to send after the request, which it could overtake on another connection.
    std::optional<message> cancellation = {};

    /// True once the server has accepted or refused the message.
    bool arrived() const { return status != 0; }
  };

  http_fields fields() const;
  exchange begin_exchange(const message& what) const;
  void cancel(exchange& unheard_one, message what, remote_effects& out);
  void accepted(exchange& one, time_point now, remote_effects& out);
  void stream_head(int status, const http_fields& fields, remote_effects& out);
  void receive_event(event one, remote_effects& out);
  void receive_skipped(const skipped_line& event, time_point now, remote_effects& out);
  void receive_endpoint(const std::string& reference, remote_effects& out);
  void over(http_call_id call, const std::string& why_lost, const std::string& why_undelivered, remote_effects& out);
  void stream_lost(const std::string& why, remote_effects& out);
  void undelivered(const exchange& one, const std::string& why, remote_effects& out);

  const remote_options& options_;
  remote_caller& caller_;
  remote_dialogue& dialogue_;
  http_call_id stream_ = 0;
  bool stream_open_ = false;
  time_point stream_deadline_ = time_point::max();
  remote_answer answer_;
  std::string endpoint_;
  remote_exchanges<exchange> exchanges_;
};

} // namespace troupe::protocol
