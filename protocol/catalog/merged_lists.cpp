#include "protocol/catalog/merged_lists.hpp"

#include "protocol/catalog/list_page.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::protocol {

// -- asking ------------------------------------------------------------------------

void merged_lists::ask(const message& from, list_kind kind, time_point now, catalog_effects& out) {
  auto first_page = asks_for_first_page(from);
  auto place = first_page ? first_pages(kind, out) : merged_cursor_of(from, seal_);
  if (!place)
    return out.push_back(refused(from, error_code::invalid_params, "Invalid cursor"));
  auto is_partial = first_page && !place->is_public;
  round begun{.client_id = from.id,
              .kind = kind,
              .first_page = first_page,
              .hints = {is_partial ? 0 : widest_hints.ttl, place->is_public}};
  if (sender_.may_wait(from, not_ready(place->parts), out))
    ask_for_pages(from, std::move(begun), place->parts, now + patience_, out);
}

/// The servers whose part belongs in a list. One that failed is tried again, but not waited for, and the list without
/// it is nothing to be kept.
merged_place merged_lists::first_pages(list_kind kind, catalog_effects& out) {
  auto& members = sender_.members().all();
  merged_place result{.parts = {}, .is_public = true};
  result.parts.reserve(members.size());
  for (auto& one : members) {
    if (one.may_list(group_of(kind)))
      result.parts.push_back({one.id(), {}});
    if (!one.failed)
      continue;
    result.is_public = false;
    announcements_.left_out(one.id(), kind);
    sender_.greet(one, out);
  }
  return result;
}

/// How many of the servers the list has to wait for.
std::size_t merged_lists::not_ready(const std::vector<server_cursor>& cursors) const {
  return static_cast<std::size_t>(std::count_if(cursors.begin(), cursors.end(), [&](auto& one) {
    auto server = sender_.members().find(one.server);
    return server && !server->ready();
  }));
}

void merged_lists::ask_for_pages(const message& from, round begun, const std::vector<server_cursor>& cursors,
                                 time_point until, catalog_effects& out) {
  auto& members = sender_.members().all();
  begun.parts.reserve(std::min(cursors.size(), members.size()));
  for (auto& one : members) {
    auto wanted = std::find_if(cursors.begin(), cursors.end(), [&](auto& part) { return part.server == one.id(); });
    if (wanted == cursors.end())
      continue;
    member_request how{
        .server = one.id(), .is = member_request::kind::page, .id = from.id, .list = begun.kind, .deadline = until};
    begun.parts.push_back({one.id(), sender_.ask(one, with_cursor(from, wanted->token), std::move(how), out)});
  }
  auto nobody = begun.parts.empty();
  rounds_.push_back(std::move(begun));
  if (nobody)
    finish(from.id, out);
}

std::list<merged_lists::round>::iterator merged_lists::find(std::string_view client_id) {
  return std::find_if(rounds_.begin(), rounds_.end(), [&](auto& one) { return one.client_id == client_id; });
}

void merged_lists::forget(std::string_view client_id) {
  rounds_.remove_if([&](auto& one) { return one.client_id == client_id; });
}

// -- answering -----------------------------------------------------------------------

void merged_lists::take_page(const member_request& asked, std::uint64_t own, message from, catalog_effects& out) {
  auto& parts = find(asked.id)->parts;
  auto at = std::find_if(parts.begin(), parts.end(), [&](auto& one) { return one.own_id == own; });
  if (from.claims_modern && has_object_result(from.text))
    at->hints = cache_hints_of(*find_member(from.text, {"result"}));
  at->answer = std::move(from.text);
  if (std::none_of(parts.begin(), parts.end(), [](auto& one) { return one.answer.empty(); }))
    finish(asked.id, out);
}

void merged_lists::finish(std::string_view client_id, catalog_effects& out) {
  auto at = find(client_id);
  auto page = std::move(*at);
  rounds_.erase(at);
  std::string items;
  merged_place next;
  for (auto& part : page.parts) {
    page.hints = narrower(page.hints, part.hints);
    auto server = sender_.members().find(part.server);
    if (!has_object_result(part.answer)) {
      leave_out(part, page.kind, out);
      continue;
    }
    if (server && page.first_page)
      announcements_.included(part.server, page.kind);
    auto more = server ? names_.learn(*server, part.answer, page.kind, page.first_page, out) : std::string{};
    if (!more.empty())
      items += (items.empty() ? "" : ",") + more;
    if (auto token = next_cursor(part.answer); !token.empty())
      next.parts.push_back({part.server, std::string{token}});
  }
  next.is_public = page.hints.is_public;
  out.push_back(tell_client{list_answer(page.client_id, page.kind, items, next, seal_, hints_of(page))});
}

/// Those for the client, if it reads any.
std::optional<cache_hints> merged_lists::hints_of(const round& page) const {
  if (!sender_.reads_modern())
    return std::nullopt;
  return page.parts.empty() ? cache_hints{} : page.hints;
}

/// The client gets a list without a server's part, and is told when that can be had. One answer is waited for, so that
/// a client that asks again and again leaves nothing behind.
void merged_lists::leave_out(const part& of, list_kind kind, catalog_effects& out) {
  if (!sender_.members().find(of.server))
    return;
  announcements_.left_out(of.server, kind);
  if (of.answer.empty() && sender_.make_late(of.own_id))
    if (auto earlier = announcements_.expect_late(of.server, kind, of.own_id); earlier != 0)
      sender_.withdraw(earlier, own_message(cancelled_text("0", "superseded")), out);
}

void merged_lists::take_late_page(const member_request& asked, const message& from, catalog_effects& out) {
  if (has_object_result(from.text))
    announcements_.came_late(asked.server, asked.list, out);
}

} // namespace troupe::protocol
