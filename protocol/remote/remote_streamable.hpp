#pragma once

#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_exchanges.hpp"
#include "protocol/remote/streamable_exchange.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace troupe::protocol {

/// Client side of Streamable HTTP with sessions (2025-03-26 to 2025-11-25, transports). Every message is a POST,
/// answers are JSON or resumable streams, and a GET listens for the server's own messages.
class remote_streamable : public http_transport {
public:
  /// `seed` randomizes the pauses between attempts to reconnect.
  remote_streamable(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue,
                    std::uint64_t seed);

  void begin(time_point now, remote_effects& out) override;
  bool ready() const override;
  void post(message what, time_point now, remote_effects& out) override;
  void waits(http_call_id call) override { exchanges_.waits(call); }
  void receive_event(http_call_id call, const call_begun& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_head& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_body& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_ended& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_failed& news, time_point now, remote_effects& out) override;
  void receive_event(http_call_id call, const call_withheld& news, time_point now, remote_effects& out) override;
  void tick(time_point now, remote_effects& out) override;
  time_point deadline() const override;
  std::string transport_mismatch() const override { return detection_.transport_mismatch(); }
  std::string possible_mismatch() const override { return detection_.possible_mismatch(); }
  void drop_all(remote_effects& out) override;
  void end_session(remote_effects& out) const override;

private:
  using exchange = streamable_exchange;
  using exchange_kind = streamable_exchange::kind;

  // -- sending
  void post_now(message what, time_point now, remote_effects& out);
  bool cancel(const std::string& id, time_point now, remote_effects& out);
  void keep_open(exchange& one, time_point now, remote_effects& out);
  http_call_id connect(const std::string& id, resume_point at, time_point now, remote_effects& out);
  bool is_listened_to() const;
  void assume_received(remote_effects& out);

  // -- the end of the session at the server
  bool is_gone(const exchange& one) const;
  void forgotten(exchange& one, time_point now, remote_effects& out);
  void expire_when_heard(time_point now, remote_effects& out);

  // -- head of an answer
  void request_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out);
  void refused_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out);
  void cancelled_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out);
  void stream_head(exchange& one, const http_fields& fields, time_point now, remote_effects& out);
  void listen_refused(exchange one, time_point now, remote_effects& out);
  void resume_refused(exchange one, time_point now, remote_effects& out);

  // -- body of an answer
  void receive_text(std::string text, time_point now, remote_effects& out);
  void too_long(exchange one, time_point now, remote_effects& out);
  void receive_json(exchange one, time_point now, remote_effects& out);

  // -- end of an exchange
  void over(exchange one, const std::string& why, time_point now, remote_effects& out);
  void fell_silent(exchange one, time_point now, remote_effects& out);
  void interrupted(exchange one, const std::string& why, time_point now, remote_effects& out);
  void refused(const exchange& one, remote_effects& out);
  void arrived(const exchange& one);

  const remote_options& options_;
  remote_caller& caller_;
  remote_dialogue& dialogue_;
  remote_session session_;
  transport_detection detection_;
  bool listening_ = false;
  bool has_listened_ = false;
  /// First GET that listens, and limit of the time that messages wait for its answer.
  http_call_id first_listen_ = 0;
  time_point first_listen_until_ = time_point::max();
  remote_exchanges<exchange> exchanges_;
  stream_reconnects reconnects_;
  /// Cancellations held back until their requests have arrived, by the time to send them.
  std::multimap<time_point, message> cancellations_;
};

} // namespace troupe::protocol
