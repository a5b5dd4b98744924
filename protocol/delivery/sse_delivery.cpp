#include "protocol/delivery/sse_delivery.hpp"

#include <utility>

namespace troupe::protocol {

void sse_delivery::listens(exchange_id exchange, std::string_view, time_point, effects& out) {
  if (stream_ != 0) {
    out.push_back(reject{exchange, {400, error_code::invalid_request, "Bad Request: this session has its stream"}});
    return;
  }
  stream_ = exchange;
  out.push_back(open_stream{exchange});
  out.push_back(publish{exchange, {.type = "endpoint", .data = endpoint_}});
}

void sse_delivery::posted(exchange_id exchange, bool, std::vector<std::string>, time_point, effects& out) {
  out.push_back(accept{exchange});
}

void sse_delivery::posted_initialize(exchange_id exchange, effects& out) { out.push_back(accept{exchange}); }

loss sse_delivery::lost(exchange_id exchange, time_point, effects&) {
  if (stream_ == 0 || exchange != stream_)
    return loss::request;
  stream_ = 0;
  return loss::session;
}

void sse_delivery::opened(exchange_id, std::string text, std::string_view, effects& out) { send(std::move(text), out); }

/// Sends the refusal as an event: the POST was already accepted.
void sse_delivery::refused(exchange_id exchange, rejection why, time_point now, effects& out) {
  answer(exchange, error_text(why.id, why.code, why.text), now, out);
}

void sse_delivery::answer(exchange_id, std::string text, time_point, effects& out) { send(std::move(text), out); }

void sse_delivery::progress(exchange_id, std::string text, time_point, effects& out) { send(std::move(text), out); }

std::optional<exchange_id> sse_delivery::related(message what, time_point, effects& out) {
  send(std::move(what.text), out);
  return stream_;
}

void sse_delivery::unrelated(message what, time_point, effects& out) { send(std::move(what.text), out); }

void sse_delivery::follow(exchange_id, message what, time_point, effects& out) { send(std::move(what.text), out); }

void sse_delivery::end(time_point, effects& out) {
  if (auto stream = std::exchange(stream_, 0))
    out.push_back(end_stream{stream});
}

delivery_counts sse_delivery::counts() const {
  delivery_counts result;
  result.primary = live() ? 1 : 0;
  return result;
}

void sse_delivery::send(std::string text, effects& out) {
  if (stream_ != 0)
    out.push_back(publish{stream_, {.type = "message", .data = std::move(text)}});
}

} // namespace troupe::protocol
