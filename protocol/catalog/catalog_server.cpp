// What servers say.

#include "protocol/catalog/catalog.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

catalog_effects catalog::server_sent(std::uint64_t server, message from, time_point) {
  effects out;
  auto one = find_leaving_too(server);
  if (ended_ || !one)
    return out;
  if (from.kind == message_kind::response) {
    auto own = own_id(from.id);
    auto asked = own ? asked_.find(*own) : asked_.end();
    if (asked != asked_.end() && asked->second.server == server)
      take_answer(*own, std::move(from), out);
  } else if (from.kind == message_kind::notification) {
    take_member_notification(*one, std::move(from), out);
  } else if (from.method == "ping") {
    out.push_back(tell_member{server, made(empty_result(from.id))});
  } else {
    take_question(*one, std::move(from), out);
  }
  return out;
}

void catalog::take_question(catalog_member& one, message from, effects& out) {
  if (questions_.size() >= limits_.questions) {
    auto text = error_text(from.id, error_code::internal_error, "Too many requests wait for the client");
    out.push_back(tell_member{one.id(), made(std::move(text))});
    return;
  }
  auto own = ++last_id_;
  auto id = std::to_string(own);
  questions_.emplace(own, member_question{one.id(), from.id, from.reference});
  out.push_back(tell_client{relayed(std::move(from), id, id)});
}

void catalog::take_member_notification(catalog_member& one, message from, effects& out) {
  if (from.method == "notifications/progress")
    return take_progress(one, std::move(from), out);
  if (from.method == "notifications/cancelled")
    return withdraw_question(one, std::move(from), out);
  if (auto group = group_changed_by(from.method))
    return take_announcement(one, *group, std::move(from), out);
  if (auto token = find_member(from.text, {"params", "uri"}); token && from.method == "notifications/resources/updated")
    if (auto uri = string_value(*token)) {
      auto edits = std::vector{replacing(from.text, *token, quoted(client_uri(one, *uri)))};
      from = spliced(std::move(from), std::move(edits));
    }
  out.push_back(tell_client{std::move(from)});
}

/// Progress of one server's part in a list or in a search says nothing about the whole.
void catalog::take_progress(const catalog_member& one, message from, effects& out) {
  auto own = own_id(from.reference);
  auto asked = own ? asked_.find(*own) : asked_.end();
  if (asked != asked_.end() && asked->second.server == one.id() && !asked->second.token.empty())
    out.push_back(tell_client{relayed(std::move(from), {}, asked->second.token)});
}

void catalog::withdraw_question(const catalog_member& one, message from, effects& out) {
  auto same = [&](auto& entry) { return entry.second.server == one.id() && entry.second.id == from.reference; };
  auto found = std::find_if(questions_.begin(), questions_.end(), same);
  if (found == questions_.end())
    return;
  out.push_back(tell_client{relayed(std::move(from), {}, std::to_string(found->first))});
  questions_.erase(found);
}

} // namespace troupe::protocol
