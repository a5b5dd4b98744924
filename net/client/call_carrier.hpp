#pragma once

#include "net/client/http_client.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/token_calls.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace troupe::net {

/// Carries out the HTTP requests that a state machine decides on, and has its running calls by number. A call may be
/// sent again after it was dropped: each attempt has a number, so that late events of an earlier attempt are not taken
/// for those of the current one.
///
/// Used on the io thread only, except for the destructor, which follows the rule of `http_client`'s.
class call_carrier {
public:
  /// Receives the events of attempts; never from inside a call to the carrier, and not after its end.
  using on_event = std::function<void(protocol::call_event)>;

  call_carrier(std::shared_ptr<http_client_shared> connections, on_event tell)
      : client_{std::move(connections)}, tell_{std::make_shared<const on_event>(std::move(tell))} {}

  /// Sends a call. True if the call waits for a connection; `call_begun` follows then.
  bool send(protocol::send_call what);
  /// Aborts a call, if it is running.
  void drop(protocol::http_call_id call);
  void release(const protocol::release_call& which);
  /// Sends a last request, which may outlive the carrier for a moment. Callable from any thread.
  void send_last(protocol::send_last_request what);

  /// Notes an event; false if its attempt was superseded. To be called for each event before it is used, also if the
  /// event came through a mailbox.
  bool accept(const protocol::call_event& news);

private:
  struct attempt {
    std::uint64_t number;
    http_client::call_id id;
  };

  http_call_events events_of(protocol::http_call_id call) const;

  http_client client_;
  /// Shared with the events of every call.
  std::shared_ptr<const on_event> tell_;
  std::uint64_t attempts_ = 0;
  std::map<protocol::http_call_id, attempt> running_;
};

/// Carries out the HTTP requests that a state machine decides on, with bearer tokens if the server needs them: a
/// `call_carrier` behind `token_calls`. Used on the io thread only, except for the destructor.
template <class Tokens>
class authorized_carrier {
public:
  /// Facts for the state machine and its owner.
  struct listener {
    /// The request waits for a connection or a token.
    std::function<void(protocol::http_call_id)> waits;
    std::function<void(protocol::call_event)> on_event;
    /// A token is wanted; answered with `token_given` or `token_refused`.
    std::function<void(typename Tokens::want)> wants;
  };

  /// `on_event`: see `call_carrier`; the owner passes its events to `arrived`.
  authorized_carrier(std::shared_ptr<http_client_shared> connections, call_carrier::on_event on_event, listener owner)
      : calls_{std::move(connections), std::move(on_event)}, owner_{std::move(owner)} {}

  /// From now on, requests carry tokens. `most_kept`: see `token_calls`.
  void use_tokens(std::size_t most_kept = Tokens::most_kept()) { tokens_.emplace(most_kept); }
  bool uses_tokens() const { return tokens_.has_value(); }

  // -- decisions of the state machine
  /// `whose`: see `token_calls`; unused without tokens.
  void send(protocol::send_call what, std::string whose, protocol::time_point now) {
    if (!tokens_)
      return transmit(std::move(what));
    const auto call = what.call;
    auto effects = tokens_->send(std::move(what), std::move(whose), now);
    if (tokens_->waits(call))
      owner_.waits(call);
    for (auto& effect : effects)
      if (auto* at_once = std::get_if<protocol::send_call>(&effect))
        transmit(std::move(*at_once));
      else
        perform(effect);
  }
  void drop(const protocol::drop_call& which) {
    if (tokens_)
      tokens_->drop(which.call);
    calls_.drop(which.call);
  }
  void release(const protocol::release_call& which) { calls_.release(which); }
  /// Sends a last request, unless it needs a token that does not exist.
  void send_last(protocol::send_last_request what, protocol::time_point now) {
    auto field = tokens_ ? tokens_->field(now) : std::nullopt;
    if (tokens_ && !field && Tokens::needs_token)
      return;
    if (field)
      what.fields.push_back(std::move(*field));
    calls_.send_last(std::move(what));
  }

  // -- facts
  void arrived(protocol::call_event news) {
    if (!calls_.accept(news))
      return;
    if (tokens_ && news.is_last())
      tokens_->drop(news.call);
    if (auto* head = std::get_if<protocol::call_head>(&news.what); tokens_ && head)
      carry_out(tokens_->head(news.call, head->status, std::move(head->fields)));
    else
      owner_.on_event(std::move(news));
  }
  /// `until` is the time at which to request another token.
  void token_given(const std::string& whose, std::string text, protocol::time_point until) {
    carry_out(tokens_->token_given(whose, std::move(text), until));
  }
  void token_refused(const std::string& whose, const std::string& why) {
    carry_out(tokens_->token_refused(whose, why));
  }
  /// Whether an answer to `listener::wants` is due.
  bool awaits_token() const { return tokens_ && tokens_->awaits_token(); }

private:
  using token_calls = protocol::token_calls<Tokens>;

  void carry_out(typename token_calls::effects effects) {
    for (auto& effect : effects)
      perform(effect);
  }
  void perform(typename token_calls::effect& effect) {
    std::visit([this](auto& one) { this->perform(one); }, effect);
  }
  void transmit(protocol::send_call what) {
    const auto call = what.call;
    if (calls_.send(std::move(what)))
      owner_.waits(call);
  }
  /// Sends a request that has waited for its token. It begins now, unless it waits for a connection. An earlier effect
  /// may have ended it.
  void perform(protocol::send_call& effect) {
    const auto call = effect.call;
    if (!tokens_->knows(call))
      return;
    if (calls_.send(std::move(effect)))
      owner_.waits(call);
    else
      owner_.on_event({call, protocol::call_begun{}});
  }
  void perform(const protocol::drop_call& effect) { calls_.drop(effect.call); }
  void perform(typename Tokens::want& effect) { owner_.wants(std::move(effect)); }
  void perform(protocol::withhold_call& effect) {
    owner_.on_event({effect.call, protocol::call_withheld{std::move(effect.why)}});
  }
  void perform(protocol::deliver_head& effect) {
    owner_.on_event({effect.call, protocol::call_head{effect.status, std::move(effect.fields)}});
  }

  call_carrier calls_;
  listener owner_;
  /// Empty if requests carry no tokens.
  std::optional<token_calls> tokens_;
};

} // namespace troupe::net
