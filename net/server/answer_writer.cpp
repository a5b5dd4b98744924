#include "net/server/answer_writer.hpp"

#include "net/server/http_head.hpp"

namespace troupe::net {

namespace {

/// Room behind the head for the usual first events of a stream, and for all of a short one.
constexpr std::size_t usual_events = 768;

} // namespace

void answer_writer::respond(protocol::http_response answer, bool has_body) {
  const auto body = has_body ? answer.body.size() : 0;
  queue_.add(head_text(answer, framing::length, keep_alive_, body <= write_queue::longest_joined ? body : 0));
  if (body != 0)
    queue_.add(std::move(answer.body));
}

void answer_writer::begin_events(const protocol::http_response& head) {
  keep_alive_ = keep_alive_ && chunked_;
  queue_.add(head_text(head, chunked_ ? framing::chunked : framing::until_close, keep_alive_, usual_events));
}

void answer_writer::write_events(std::string events) { queue_.add(chunked_ ? chunk_text(events) : std::move(events)); }

bool answer_writer::end_events() {
  if (chunked_)
    queue_.add(last_chunk);
  return chunked_;
}

answer_writer::time_point answer_writer::limit_write(const connection_limits& limits, time_point now) {
  deadline_ = now + write_time_of(limits, queue_.untaken());
  return deadline_;
}

void answer_writer::end_write() {
  deadline_ = time_point::max();
  unsent_.reset();
  queue_.end();
}

} // namespace troupe::net
