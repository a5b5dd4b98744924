#pragma once

#include "actors/runtime/unit.hpp"
#include "actors/upstream_messages.hpp"
#include "net/crypto.hpp"
#include "protocol/access/client_roots.hpp"
#include "protocol/access/server_guard.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/trace/requests_under_way.hpp"
#include "protocol/trace/span.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

/// An upstream that its owner requests from a SERVER on first use. Messages wait until it is given; their number is
/// limited by the machine that sends them. The owner must trap exits, monitor the upstream (which `given` does), and
/// call `drop` before it ends.
class lazy_upstream {
public:
  /// `caller` uses the upstream, null if anonymous; `access` are the caller's permissions, null for all. Requests are
  /// measured under `peer`, unless that is null or metrics are off. With `hides_roots`, the server learns nothing of
  /// the client's roots.
  lazy_upstream(server_actor server, upstream_request::use what_for, std::string session, protocol::caller caller,
                std::shared_ptr<const protocol::permissions> access = nullptr,
                std::shared_ptr<const protocol::operation_peer> peer = nullptr,
                protocol::thread_metrics* measured_in = nullptr, bool hides_roots = false)
      : server_{std::move(server)}, session_{std::move(session)}, what_for_{what_for}, caller_{std::move(caller)},
        guard_{access ? std::make_unique<protocol::server_guard>(std::move(access), protocol::hex(net::random_128()))
                      : nullptr},
        under_way_{measured_in, std::move(peer)}, hides_roots_{hides_roots} {}

  /// Requests the upstream, unless that was done.
  template <class Self>
  void want(Self* self) {
    if (wanted_)
      return;
    wanted_ = true;
    self->send(server_, upstream_request{caf::actor_cast<downstream_actor>(self), session_, self->at().number(),
                                         ++ticket_, what_for_, caller_});
  }
  /// Sends a message to the server. Returns an answer instead if too many answers are awaited.
  template <class Self>
  std::optional<protocol::message> send(Self* self, protocol::message&& what,
                                        protocol::envelope_of_user envelope = nullptr) {
    if (auto refused = guard_ ? guard_->refuse(what, what.requester ? what.requester : caller_) : std::nullopt)
      return refused;
    if (hides_roots_) {
      auto rest = protocol::without_roots(std::move(what));
      if (!rest)
        return std::nullopt;
      what = std::move(*rest);
    }
    sent(what, self->at());
    pass_on(self, {std::move(what), std::move(envelope)});
    return std::nullopt;
  }
  /// Changes a message of the server to what its asker may see; false if it is not for the client.
  template <class Self>
  bool show(Self* self, protocol::message& what) {
    if (auto answer = hides_roots_ ? protocol::refuse_roots_request(what) : std::nullopt) {
      pass_on(self, {std::move(*answer)});
      return false;
    }
    report_span(under_way_.received(what, self->at().now()), self->at());
    if (hides_roots_)
      what = protocol::without_roots_question(std::move(what));
    if (!guard_)
      return true;
    auto visible = guard_->for_client(std::move(what), caller_);
    if (visible)
      what = std::move(*visible);
    return visible.has_value();
  }
  /// Sets new credentials of the same caller.
  void asks(protocol::caller caller) { caller_ = std::move(caller); }
  /// Takes the upstream, or releases it if it is no longer wanted. Returns whether it was taken.
  template <class Self>
  bool given(Self* self, upstream_granted& msg) {
    if (!wanted_ || msg.ticket != ticket_) {
      end(self, msg.upstream, msg.own);
      return false;
    }
    upstream_ = std::move(msg.upstream);
    own_ = msg.own;
    self->monitor(upstream_);
    for (auto& what : std::exchange(waiting_, {}))
      self->send(upstream_, std::move(what));
    return true;
  }
  /// The owner may start a process itself. Returns the messages that have waited; empty if no longer wanted.
  std::optional<std::vector<to_server>> granted(const upstream_granted& msg) {
    if (!wanted_ || msg.ticket != ticket_)
      return std::nullopt;
    return std::exchange(waiting_, {});
  }
  /// The server is lost; it is requested again on the next use.
  template <class Self>
  void lost(Self* self) {
    end_requests({protocol::call_outcome::kind::lost}, self->at());
    drop(self);
  }
  /// Releases the server.
  template <class Self>
  void drop(Self* self) {
    end_requests({protocol::call_outcome::kind::cancelled}, self->at());
    if (upstream_) {
      self->demonitor(upstream_.address());
      dropped_ = upstream_.address();
    }
    end(self, std::exchange(upstream_, {}), own_);
    waiting_.clear();
    wanted_ = false;
  }
  /// Number of upstreams that are the user's own, 0 or 1. Shared upstreams are queried for reports elsewhere.
  std::size_t count_own() const { return upstream_ && own_ ? 1 : 0; }
  template <class Self>
  void report(Self* self, const collector_actor& to) const {
    if (count_own() != 0)
      self->send(upstream_, report_request{to});
  }

  /// Restarts the upstream that is the user's own.
  template <class Self>
  void restart(Self* self) const {
    if (count_own() != 0)
      self->send(upstream_, restart_request{});
  }

  bool is_known() const { return server_ != nullptr; }
  /// Empty if unknown.
  std::string_view server_name() const {
    const auto* const peer = under_way_.server();
    return peer ? std::string_view{peer->server} : std::string_view{};
  }
  bool leads_to(const caf::actor_addr& upstream) const { return upstream_ && upstream_.address() == upstream; }
  /// Whether a message of `sender` came from the server of this upstream.
  bool comes_from(const caf::actor_addr& sender) const {
    return leads_to(sender) || (wanted_ && !upstream_ && sender != dropped_);
  }

private:
  template <class Self>
  void pass_on(Self* self, to_server&& what) {
    if (upstream_)
      return self->send(upstream_, std::move(what));
    waiting_.push_back(std::move(what));
    want(self);
  }
  /// Follows a message for the server, and writes its trace.
  void sent(protocol::message& what, const unit& at);
  static void report_span(std::optional<protocol::span> ended, const unit& at) {
    if (ended)
      at.traces()->ended(at, std::move(*ended));
  }
  void end_requests(protocol::call_outcome how, const unit& at);
  template <class Self>
  static void end(Self* self, const upstream_actor& upstream, bool own) {
    if (upstream && own)
      self->send_exit(upstream, caf::exit_reason::user_shutdown);
    else if (upstream)
      self->send(upstream, user_disconnected{});
  }

  server_actor server_;
  std::string session_;
  upstream_request::use what_for_;
  protocol::caller caller_;
  /// Null if all callers may use all.
  std::unique_ptr<protocol::server_guard> guard_;
  protocol::requests_under_way under_way_;
  upstream_actor upstream_;
  /// Previous upstream, whose last messages may still arrive.
  caf::actor_addr dropped_;
  bool own_ = false;
  bool wanted_ = false;
  std::uint64_t ticket_ = 0;
  std::vector<to_server> waiting_;
  bool hides_roots_;
};

} // namespace troupe::actors
