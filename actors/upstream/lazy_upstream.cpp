#include "actors/upstream/lazy_upstream.hpp"

#include "protocol/trace/message_trace.hpp"

namespace troupe::actors {

void lazy_upstream::sent(protocol::message& what, const unit& at) {
  if (!under_way_.server())
    return;
  std::optional<protocol::span_start> sampled;
  if (what.trace && at.traces() && what.trace->at.is_sampled)
    sampled = span_start_of(protocol::span::kind::client, at);
  report_span(under_way_.sent(what, at.now(), sampled), at);
  if (what.trace)
    protocol::write_trace(what);
}

void lazy_upstream::end_requests(protocol::call_outcome how, const unit& at) {
  for (auto& one : under_way_.end_all(how, at.now()))
    at.traces()->ended(at, std::move(one));
}

} // namespace troupe::actors
