#pragma once

#include "actors/runtime/unit.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/trace/request_span.hpp"

#include <memory>

namespace troupe::actors {

/// Carries traces on to a server, with the requests of one user, and tells the spans of those that are sampled. On one
/// unit.
class traced_requests {
public:
  /// `server` is null when requests are as they go to one already.
  explicit traced_requests(std::shared_ptr<const protocol::operation_peer> server) : server_{std::move(server)} {}

  /// Goes to the server.
  void sent(protocol::message& what, const unit& at) {
    if (server_ && what.trace)
      carry(what, at);
    else if (what.is_method("notifications/cancelled"))
      heard(what, at);
  }
  /// Comes from the server, or ends what goes to it.
  void heard(const protocol::message& what, const unit& at) {
    if (spans_)
      end(what, at);
  }
  /// All that is under way ends like that.
  void end_all(protocol::call_outcome how, const unit& at);

private:
  void carry(protocol::message& request, const unit& at);
  void end(const protocol::message& what, const unit& at);

  std::shared_ptr<const protocol::operation_peer> server_;
  /// Null until a request is sampled.
  std::unique_ptr<protocol::client_spans> spans_;
};

} // namespace troupe::actors
