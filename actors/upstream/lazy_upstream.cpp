#include "actors/upstream/lazy_upstream.hpp"

#include "actors/runtime/unit.hpp"
#include "protocol/trace/message_trace.hpp"

#include <utility>

namespace troupe::actors {

void traced_requests::carry(protocol::message& request, const unit& at) {
  if (at.traces() && request.trace->at.is_sampled) {
    if (!spans_)
      spans_ = std::make_unique<protocol::client_spans>(server_);
    spans_->sent(request, span_start_of(protocol::span::kind::client), at.now());
  }
  protocol::write_trace(request);
}

void traced_requests::end(const protocol::message& what, const unit& at) {
  if (auto ended = spans_->heard(what, at.now()))
    at.traces()->ended(at, std::move(*ended));
}

void traced_requests::end_all(protocol::call_outcome how, const unit& at) {
  if (!spans_)
    return;
  for (auto& one : spans_->end_all(how, at.now()))
    at.traces()->ended(at, std::move(one));
}

} // namespace troupe::actors
