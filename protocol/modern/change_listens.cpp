#include "protocol/modern/change_listens.hpp"

#include "protocol/longest_subscribed_uri.hpp"
#include "protocol/message/listen_words.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/message/meta_keys.hpp"
#include "protocol/modern/session_words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_true(std::string_view object, std::initializer_list<std::string_view> path) {
  return find_member(object, path) == "true";
}

std::set<std::string> honored_by(const message& ack) {
  std::set<std::string> result;
  auto uris = find_member(ack.text, {"params", "notifications", "resourceSubscriptions"});
  if (uris && uris->starts_with('['))
    for (array_reader each{*uris}; each.next();)
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

void change_listens::offered(std::string_view capabilities) {
  for (auto& one : all_listen_words)
    if (is_true(capabilities, {one.capability, "listChanged"}))
      groups_.push_back(one.group);
  offers_resources_ = is_true(capabilities, {"resources", "subscribe"});
}

void change_listens::begin(time_point now, face_effects& out) {
  if (!std::exchange(begun_, true))
    open(now, out);
}

// -- from the user -------------------------------------------------------------------------

void change_listens::subscribe(const message& request, time_point now, face_effects& out) {
  auto uri = string_param(request, "uri");
  if (!offers_resources_)
    return out.push_back(
        show_user{error_response(request.id, error_code::method_not_found, "The MCP server offers no subscriptions")});
  if (uri.empty())
    return out.push_back(
        show_user{error_response(request.id, error_code::invalid_params, "Invalid params: uri must be a string")});
  if (uri.size() > longest_subscribed_uri)
    return out.push_back(
        show_user{error_response(request.id, error_code::invalid_params, "The URI is too long to be subscribed to")});
  if (current_ && current_->uris.contains(uri) && uris_.contains(uri))
    return out.push_back(show_user{own_message(empty_result(request.id))});
  if (uris_.size() >= most_uris && !uris_.contains(uri))
    return out.push_back(
        show_user{error_response(request.id, error_code::internal_error, "Too many resources are subscribed to")});
  uris_.insert(uri);
  subscribers_.push_back({request.id, std::move(uri)});
  begun_ = true;
  open(now, out);
}

/// Whoever still waits to be subscribed is so no more.
void change_listens::unsubscribe(const message& request, time_point now, face_effects& out) {
  auto uri = string_param(request, "uri");
  std::erase_if(subscribers_, [&](auto& one) {
    if (one.uri == uri)
      out.push_back(show_user{own_message(empty_result(one.id))});
    return one.uri == uri;
  });
  out.push_back(show_user{own_message(empty_result(request.id))});
  if (uris_.erase(uri) != 0)
    open(now, out);
}

// -- a request of ours ---------------------------------------------------------------------

/// One that is under way is waited for: what is wanted since then follows.
void change_listens::open(time_point now, face_effects& out) {
  if (pending_)
    return;
  again_at_ = time_point::max();
  if (wants_nothing())
    return close_current(out);
  pending_ = listen{.id = quoted("troupe-listen-" + std::to_string(++count_)), .uris = uris_};
  acknowledge_by_ = now + patience;
  out.push_back(send_server{listen_request(*pending_)});
}

message change_listens::listen_request(const listen& one) const {
  std::string wanted;
  for (auto& each : all_listen_words)
    if (std::ranges::find(groups_, each.group) != groups_.end())
      wanted.append(wanted.empty() ? "" : ",").append(quoted(each.flag)).append(":true");
  std::string uris;
  for (auto& uri : one.uris)
    uris.append(uris.empty() ? "" : ",").append(quoted(uri));
  if (!uris.empty())
    wanted.append(wanted.empty() ? "" : ",").append(R"("resourceSubscriptions":[)").append(uris).append("]");
  message ours{.kind = message_kind::request, .text = "{}", .method = "subscriptions/listen"};
  return envelope_.addressed(ours, one.id, R"(,"notifications":{)" + wanted + "}");
}

void change_listens::close_current(face_effects& out) {
  if (auto old = std::exchange(current_, std::nullopt))
    out.push_back(send_server{own_message(cancelled_text(old->id, "no longer needed"))});
}

void change_listens::acknowledged(const message& ack, time_point now, face_effects& out) {
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

/// What the server does not honor is not wanted any more.
void change_listens::answer_subscribers(const std::set<std::string>& asked, const std::set<std::string>& honored,
                                        face_effects& out) {
  std::erase_if(uris_, [&](auto& uri) { return asked.contains(uri) && !honored.contains(uri); });
  std::erase_if(subscribers_, [&](auto& one) {
    if (!asked.contains(one.uri))
      return false;
    out.push_back(show_user{honored.contains(one.uri)
                                ? own_message(empty_result(one.id))
                                : error_response(one.id, error_code::internal_error,
                                                 "The MCP server does not tell changes of this resource")});
    return true;
  });
}

void change_listens::announce_missed(face_effects& out) {
  for (auto group : groups_)
    out.push_back(
        show_user{own_message(R"({"jsonrpc":"2.0","method":")" + std::string{changed_method(group)} + "\"}")});
  for (auto& uri : uris_)
    out.push_back(show_user{own_message(
        R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":)" + quoted(uri) + "}}")});
}

// -- from the server -----------------------------------------------------------------------

bool change_listens::take_answer(const message& answer, time_point now, face_effects& out) {
  return ended(answer.id, !has_result(answer), now, out);
}

bool change_listens::take_notification(const message& from, time_point now, face_effects& out) {
  if (from.is_method("notifications/cancelled"))
    return ended(from.reference, false, now, out);
  if (is_acknowledgement(from) && pending_ && subscription_of(from) == pending_->id)
    acknowledged(from, now, out);
  else if (is_change(from) && current_ && subscription_of(from) == current_->id)
    out.push_back(show_user{session_notification(from)});
  return is_acknowledgement(from) || is_change(from);
}

/// Subscribers whose request was refused fail; those that a lost one has answered keep waiting for the next.
bool change_listens::ended(std::string_view id, bool is_refusal, time_point now, face_effects& out) {
  if (pending_ && pending_->id == id) {
    auto asked = std::exchange(pending_, std::nullopt)->uris;
    acknowledge_by_ = time_point::max();
    if (is_refusal) {
      auto kept = current_ ? current_->uris : std::set<std::string>{};
      answer_subscribers(asked, kept, out);
    }
    has_missed_ = has_missed_ || !current_;
    again_later(now);
    return true;
  }
  if (!current_ || current_->id != id)
    return false;
  if (now - current_->since >= longest_pause)
    pause_ = first_pause;
  current_.reset();
  has_missed_ = true;
  if (!pending_)
    again_later(now);
  return true;
}

void change_listens::again_later(time_point now) {
  again_at_ = now + std::exchange(pause_, std::min<std::chrono::milliseconds>(pause_ * 2, longest_pause));
}

// -- time ----------------------------------------------------------------------------------

void change_listens::tick(time_point now, face_effects& out) {
  if (now >= acknowledge_by_) {
    out.push_back(send_server{own_message(cancelled_text(pending_->id, "timeout"))});
    ended(std::string{pending_->id}, true, now, out);
  }
  if (now < again_at_)
    return;
  again_at_ = time_point::max();
  if (!current_ || current_->uris != uris_)
    open(now, out);
}

time_point change_listens::deadline() const { return std::min(acknowledge_by_, again_at_); }

} // namespace troupe::protocol
