#include "protocol/modern_server/change_listens.hpp"

#include "protocol/message/message.hpp"
#include "protocol/modern_server/session_words.hpp"
#include "protocol/subscription_limits.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace troupe::protocol {

void change_listens::offered(std::string_view capabilities) {
  all_.front().offered(capabilities);
  offers_resources_ = find_member(capabilities, {"resources", "subscribe"}) == "true";
}

void change_listens::begin(time_point now, face_effects& out) {
  if (!std::exchange(begun_, true))
    all_.front().open(now, out);
}

// -- from the user -------------------------------------------------------------------------

void change_listens::subscribe(const message& request, bool is_counted, time_point now, face_effects& out) {
  auto uri = string_param(request, "uri");
  auto refuse = [&](int code, std::string_view why) {
    out.push_back(show_user{error_response(request.id, code, why)});
  };
  if (!offers_resources_)
    return refuse(error_code::method_not_found, "The MCP server offers no subscriptions");
  if (uri.empty())
    return refuse(error_code::invalid_params, "Invalid params: uri must be a string");
  if (uri.size() > longest_subscribed_uri)
    return refuse(error_code::invalid_params, "The URI is too long to be subscribed to");
  auto one = which_wants(uri);
  if (!one && !is_counted && uris() >= most_uris)
    return refuse(error_code::internal_error, too_many_subscriptions);
  begun_ = true;
  (one ? *one : with_room_for(uri)).subscribe(request.id, std::move(uri), now, out);
}

void change_listens::unsubscribe(const message& request, time_point now, face_effects& out) {
  auto uri = string_param(request, "uri");
  auto one = which_wants(uri);
  (one ? *one : all_.front()).unsubscribe(request.id, uri, now, out);
}

std::size_t change_listens::uris() const {
  return std::accumulate(all_.begin(), all_.end(), std::size_t{0},
                         [](auto sum, auto& one) { return sum + one.uris(); });
}

change_listen* change_listens::which_wants(std::string_view uri) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.wants(uri); });
  return found == all_.end() ? nullptr : &*found;
}

change_listen& change_listens::with_room_for(std::string_view uri) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.has_room_for(uri); });
  return found == all_.end() ? all_.emplace_back(envelope_, count_) : *found;
}

// -- from the server -----------------------------------------------------------------------

bool change_listens::take_answer(const message& answer, time_point now, face_effects& out) {
  return std::ranges::any_of(all_, [&](auto& one) { return one.ended(answer.id, !has_result(answer), now, out); });
}

bool change_listens::take_notification(const message& from, time_point now, face_effects& out) {
  if (from.is_method("notifications/cancelled"))
    return std::ranges::any_of(all_, [&](auto& one) { return one.ended(from.reference, false, now, out); });
  if (!change_listen::tells(from))
    return false;
  for (auto& one : all_)
    one.take(from, now, out);
  return true;
}

// -- time ----------------------------------------------------------------------------------

void change_listens::tick(time_point now, face_effects& out) {
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
