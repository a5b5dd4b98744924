#pragma once

#include "protocol/delivery/delivery.hpp"

#include <string>

namespace troupe::protocol {

/// Delivery over HTTP+SSE (2024-11-05). One stream is the session and carries all messages of the server, also answers;
/// a POST is only accepted. The session ends with the stream.
class sse_delivery final : public delivery {
public:
  /// `endpoint`: URL for the client's POSTs, relative to the URL of the stream.
  explicit sse_delivery(std::string endpoint) : endpoint_{std::move(endpoint)} {}

  void listens(exchange_id exchange, std::string_view last, time_point now, effects& out) override;
  void posted(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point now,
              effects& out) override;
  void posted_initialize(exchange_id exchange, effects& out) override;
  loss lost(exchange_id exchange, time_point now, effects& out) override;

  void opened(exchange_id exchange, std::string text, std::string_view version, effects& out) override;
  void refused(exchange_id exchange, rejection why, time_point now, effects& out) override;
  void answer(exchange_id exchange, std::string text, time_point now, effects& out) override;
  void withdraw(exchange_id, const std::string&, time_point, effects&) override {}
  void progress(exchange_id exchange, std::string text, time_point now, effects& out) override;
  std::optional<exchange_id> related(message what, time_point now, effects& out) override;
  void unrelated(message what, time_point now, effects& out) override;
  void follow(exchange_id exchange, message what, time_point now, effects& out) override;
  /// Stores no events: the session cannot outlive its stream, nor its node.
  void keep() override {}
  void keep_roles(effects&) const override {}
  void restore(std::string_view, const std::vector<saved_event>&, exchange_id, time_point, effects&) override {}
  void end(time_point now, effects& out) override;

  void tick(time_point, effects&) override {}
  time_point deadline() const override { return time_point::max(); }
  bool live() const override { return stream_ != 0; }
  bool resumes_calls() const override { return false; }
  delivery_counts counts() const override;

private:
  void send(std::string text, effects& out);

  std::string endpoint_;
  exchange_id stream_ = 0;
};

} // namespace troupe::protocol
