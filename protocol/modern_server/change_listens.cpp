#include "protocol/modern_server/change_listens.hpp"

#include "protocol/message/request_envelope.hpp"
#include "protocol/message/subscribed_uris.hpp"
#include "protocol/modern_server/legacy_conversion.hpp"

#include <numeric>
#include <utility>

namespace troupe::protocol {

namespace {

std::set<std::string, std::less<>> honored_by(const message& ack) {
  std::set<std::string, std::less<>> result;
  auto uris = find_member(ack.text, {"params", "notifications", "resourceSubscriptions"}).value_or("");
  for (array_reader each{uris}; each.next();)
    result.insert(string_value(each.value()).value_or(""));
  return result;
}

std::string_view subscription_of(const message& notification) {
  return find_member(notification.text, {"params", "_meta", meta_key::subscription_id}).value_or("");
}

bool is_acknowledgement(const message& one) { return one.is_method("notifications/subscriptions/acknowledged"); }

bool is_change(const message& one) {
  return group_changed_by(one.method) || one.is_method("notifications/resources/updated");
}

} // namespace

void change_listen::offered(std::string_view capabilities) {
  for (auto& one : all_listen_members)
    if (find_member(capabilities, {one.capability, "listChanged"}) == "true")
      groups_.push_back(one.group);
}

bool change_listen::has_room_for(std::string_view uri) const {
  auto bytes =
      std::accumulate(uris_.begin(), uris_.end(), uri.size(), [](auto sum, auto& one) { return sum + one.size(); });
  return uris_.size() < most_uris && bytes <= most_bytes;
}

// -- from the user -------------------------------------------------------------------------

void change_listen::subscribe(const std::string& id, std::string uri, time_point now, adapter_effects& out) {
  if (current_ && current_->uris.contains(uri) && uris_.contains(uri))
    return out.push_back(deliver_to_user{gateway_message(empty_result(id))});
  uris_.insert(uri);
  subscribers_.push_back({id, std::move(uri)});
  open(now, out);
}

/// Drops pending subscriptions to the URI, answering them with success.
void change_listen::unsubscribe(const std::string& id, std::string_view uri, time_point now, adapter_effects& out) {
  std::erase_if(subscribers_, [&](auto& one) {
    if (one.uri == uri)
      out.push_back(deliver_to_user{gateway_message(empty_result(one.id))});
    return one.uri == uri;
  });
  out.push_back(deliver_to_user{gateway_message(empty_result(id))});
  if (auto at = uris_.find(uri); at != uris_.end()) {
    uris_.erase(at);
    open(now, out);
  }
}

// -- a request of ours ---------------------------------------------------------------------

/// Waits while a request is pending; later changes follow its acknowledgement.
void change_listen::open(time_point now, adapter_effects& out) {
  if (pending_)
    return;
  again_at_ = time_point::max();
  if (wants_nothing())
    return close_current(out);
  pending_ = listen{.id = quoted("troupe-listen-" + std::to_string(++count_)), .uris = uris_};
  acknowledge_by_ = now + patience;
  out.push_back(deliver_to_server{listen_request(*pending_)});
}

message change_listen::listen_request(const listen& one) const {
  message ours{.kind = message_kind::request, .text = "{}", .method = "subscriptions/listen"};
  return envelope_.addressed(ours, one.id, R"(,"notifications":)" + listen_text(groups_, one.uris));
}

void change_listen::close_current(adapter_effects& out) {
  if (auto old = std::exchange(current_, std::nullopt))
    out.push_back(deliver_to_server{cancellation_of(old->id, "no longer needed")});
}

void change_listen::acknowledged(const message& ack, time_point now, adapter_effects& out) {
  auto honored = honored_by(ack);
  auto since = current_ ? current_->since : now;
  close_current(out);
  current_ = std::exchange(pending_, std::nullopt);
  current_->since = since;
  acknowledge_by_ = time_point::max();
  answer_subscribers(current_->uris, honored, out);
  if (std::exchange(has_missed_, false))
    announce_missed(out);
  std::erase_if(current_->uris, [&](auto& uri) { return !honored.contains(uri); });
  if (uris_ != current_->uris)
    open(now, out);
}

/// Answers the subscribers of a request and drops URIs that the server did not honor.
void change_listen::answer_subscribers(const uri_set& asked, const uri_set& honored, adapter_effects& out) {
  std::erase_if(uris_, [&](auto& uri) { return asked.contains(uri) && !honored.contains(uri); });
  std::erase_if(subscribers_, [&](auto& one) {
    if (!asked.contains(one.uri))
      return false;
    out.push_back(deliver_to_user{honored.contains(one.uri)
                                      ? gateway_message(empty_result(one.id))
                                      : error_response(one.id, error_code::internal_error,
                                                       "The MCP server does not tell changes of this resource")});
    return true;
  });
}

void change_listen::announce_missed(adapter_effects& out) {
  for (auto group : groups_)
    out.push_back(deliver_to_user{
        gateway_message(R"({"jsonrpc":"2.0","method":")" + std::string{changed_method(group)} + "\"}")});
  for (auto& uri : uris_)
    out.push_back(deliver_to_user{gateway_message(
        R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":)" + quoted(uri) + "}}")});
}

// -- from the server -----------------------------------------------------------------------

bool change_listen::tells(const message& notification) {
  return is_acknowledgement(notification) || is_change(notification);
}

void change_listen::receive_notification(const message& notification, time_point now, adapter_effects& out) {
  auto id = subscription_of(notification);
  if (is_acknowledgement(notification) && pending_ && id == pending_->id)
    acknowledged(notification, now, out);
  else if (is_change(notification) && current_ && id == current_->id)
    out.push_back(deliver_to_user{session_notification(notification)});
}

/// A refused request fails its subscribers. If it ended otherwise, they wait for the next request.
bool change_listen::ended(std::string_view id, bool is_refusal, time_point now, adapter_effects& out) {
  if (pending_ && pending_->id == id) {
    auto asked = std::exchange(pending_, std::nullopt)->uris;
    acknowledge_by_ = time_point::max();
    if (is_refusal) {
      auto kept = current_ ? current_->uris : uri_set{};
      answer_subscribers(asked, kept, out);
    }
    has_missed_ = has_missed_ || !current_;
    again_later(now);
    return true;
  }
  if (!current_ || current_->id != id)
    return false;
  if (now - current_->since >= longest_pause)
    pause_.reset();
  current_.reset();
  has_missed_ = true;
  if (!pending_)
    again_later(now);
  return true;
}

void change_listen::again_later(time_point now) { again_at_ = now + pause_.next(); }

// -- time ----------------------------------------------------------------------------------

void change_listen::tick(time_point now, adapter_effects& out) {
  if (now >= acknowledge_by_) {
    out.push_back(deliver_to_server{cancellation_of(pending_->id, "timeout")});
    ended(std::string{pending_->id}, true, now, out);
  }
  if (now < again_at_)
    return;
  again_at_ = time_point::max();
  if (!current_ || current_->uris != uris_)
    open(now, out);
}

void change_listens::offered(std::string_view capabilities) {
  all_.front().offered(capabilities);
  offers_resources_ = find_member(capabilities, {"resources", "subscribe"}) == "true";
}

void change_listens::begin(time_point now, adapter_effects& out) {
  if (!std::exchange(begun_, true))
    all_.front().open(now, out);
}

// -- from the user -------------------------------------------------------------------------

void change_listens::subscribe(const message& request, bool is_counted, time_point now, adapter_effects& out) {
  auto uri = string_param(request, "uri");
  auto refuse = [&](int code, std::string_view why) {
    out.push_back(deliver_to_user{error_response(request.id, code, why)});
  };
  if (!offers_resources_)
    return refuse(error_code::method_not_found, "The MCP server offers no subscriptions");
  if (uri.empty())
    return refuse(error_code::invalid_params, "Invalid params: uri must be a string");
  if (uri.size() > longest_subscribed_uri)
    return refuse(error_code::invalid_params, "The URI is too long to be subscribed to");
  auto one = find_subscribed(uri);
  if (!one && !is_counted && uris() >= most_uris)
    return refuse(error_code::internal_error, too_many_subscriptions);
  begun_ = true;
  (one ? *one : with_room_for(uri)).subscribe(request.id, std::move(uri), now, out);
}

void change_listens::unsubscribe(const message& request, time_point now, adapter_effects& out) {
  auto uri = string_param(request, "uri");
  auto one = find_subscribed(uri);
  (one ? *one : all_.front()).unsubscribe(request.id, uri, now, out);
}

std::size_t change_listens::uris() const {
  return std::accumulate(all_.begin(), all_.end(), std::size_t{0},
                         [](auto sum, auto& one) { return sum + one.uris(); });
}

change_listen* change_listens::find_subscribed(std::string_view uri) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.wants(uri); });
  return found == all_.end() ? nullptr : &*found;
}

change_listen& change_listens::with_room_for(std::string_view uri) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.has_room_for(uri); });
  return found == all_.end() ? all_.emplace_back(envelope_, count_) : *found;
}

// -- from the server -----------------------------------------------------------------------

bool change_listens::receive_response(const message& answer, time_point now, adapter_effects& out) {
  return std::ranges::any_of(all_, [&](auto& one) { return one.ended(answer.id, !has_result(answer), now, out); });
}

bool change_listens::receive_notification(const message& from, time_point now, adapter_effects& out) {
  if (is_cancellation(from))
    return std::ranges::any_of(all_, [&](auto& one) { return one.ended(from.reference, false, now, out); });
  if (!change_listen::tells(from))
    return false;
  for (auto& one : all_)
    one.receive_notification(from, now, out);
  return true;
}

// -- time ----------------------------------------------------------------------------------

void change_listens::tick(time_point now, adapter_effects& out) {
  for (auto& one : all_)
    one.tick(now, out);
}

time_point change_listens::deadline() const {
  auto first = time_point::max();
  for (auto& one : all_)
    first = std::min(first, one.deadline());
  return first;
}

} // namespace troupe::protocol
