#include "protocol/catalog/merged_lists.hpp"

#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/message/message.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Longest wait for a part that a list went out without. A client's next request checks again whether the server works.
constexpr std::chrono::seconds late_patience{60};

/// Most pages requested to check whether a failed page is available again.
constexpr std::uint64_t most_late_pages = 100;

/// Number of pages before this position.
std::uint64_t number_of(const server_cursor& place) { return place.token.empty() ? 0 : place.pages; }

/// Returns why an answer is no part of a list: an empty text if it is one, nothing while there is no answer. A server
/// without such a list may answer that the method is unknown.
std::optional<std::string> cause_of_failure(const message& answer, list_kind kind) {
  if (answer.text.empty())
    return std::nullopt;
  if (auto error = find_member(answer.text, {"error"})) {
    if (code_of_error(*error) == error_code::method_not_found)
      return "";
    auto text = string_member(*error, {"message"});
    return text.empty() ? "it answers with an error" : one_line(text);
  }
  auto items = find_member(answer.text, {"result", items_member(kind)});
  auto is_list = has_object_result(answer.text) && (!items || items->starts_with('['));
  return is_list ? "" : "its answer is no list";
}

} // namespace

// -- asking ------------------------------------------------------------------------

void merged_lists::ask(const message& from, list_kind kind, time_point now, catalog_effects& out) {
  if (from.text.size() > longest_for_all)
    return out.push_back(refused(from, error_code::invalid_params, "Invalid params: too long for a list"));
  requester_ = from.requester;
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
    ask_for_pages(from, std::move(begun), place->parts, now, out);
}

/// Returns the servers whose part belongs in a list. A failed server is initialized again, but not waited for, and the
/// list without it must not be cached.
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
    announcements_.server_missing(one.id(), out);
    sender_.greet(one, out);
  }
  return result;
}

/// Counts the servers that the list has to wait for.
std::size_t merged_lists::not_ready(const std::vector<server_cursor>& cursors) const {
  return static_cast<std::size_t>(std::count_if(cursors.begin(), cursors.end(), [&](auto& one) {
    auto server = sender_.members().find(one.server);
    return server && !server->ready();
  }));
}

void merged_lists::ask_for_pages(const message& from, round begun, const std::vector<server_cursor>& cursors,
                                 time_point now, catalog_effects& out) {
  auto& members = sender_.members().all();
  begun.parts.reserve(std::min(cursors.size(), members.size()));
  for (auto& one : members) {
    auto wanted = std::find_if(cursors.begin(), cursors.end(), [&](auto& part) { return part.server == one.id(); });
    if (wanted == cursors.end())
      continue;
    member_request how{.server = one.id(),
                       .is = member_request::kind::page,
                       .id = from.id,
                       .list = begun.kind,
                       .deadline = now + patience_};
    auto own = sender_.ask(one, with_cursor(from, wanted->token), std::move(how), out);
    begun.parts.push_back({one.id(), own, *wanted});
  }
  auto nobody = begun.parts.empty();
  rounds_.push_back(std::move(begun));
  if (nobody)
    finish(from.id, now, out);
}

std::list<merged_lists::round>::iterator merged_lists::find(std::string_view client_id) {
  return std::find_if(rounds_.begin(), rounds_.end(), [&](auto& one) { return one.client_id == client_id; });
}

void merged_lists::forget(std::string_view client_id) {
  rounds_.remove_if([&](auto& one) { return one.client_id == client_id; });
}

// -- answering -----------------------------------------------------------------------

void merged_lists::receive_page(const member_request& asked, std::uint64_t own, message from, time_point now,
                                catalog_effects& out) {
  auto& parts = find(asked.id)->parts;
  auto at = std::find_if(parts.begin(), parts.end(), [&](auto& one) { return one.own_id == own; });
  if (from.claims_modern && has_object_result(from.text))
    at->hints = cache_hints_of(*find_member(from.text, {"result"}));
  at->answer = std::move(from);
  if (std::none_of(parts.begin(), parts.end(), [](auto& one) { return one.answer.text.empty(); }))
    finish(asked.id, now, out);
}

void merged_lists::finish(std::string_view client_id, time_point now, catalog_effects& out) {
  auto at = find(client_id);
  auto page = std::move(*at);
  rounds_.erase(at);
  std::string items;
  merged_place next;
  for (auto& part : page.parts) {
    page.hints = narrower(page.hints, part.hints);
    if (auto why = cause_of_failure(part.answer, page.kind); why != "")
      leave_out(part, page.kind, std::move(why), now, out);
    else if (auto more = include(part, page, next, out); !more.empty())
      items += (items.empty() ? "" : ",") + more;
  }
  for (auto server : cut_to_fit(next, seal_)) {
    auto of = std::ranges::find(page.parts, server, &part::server);
    announcements_.failed({server, page.kind}, number_of(of->place) + 1,
                          "its cursor is too long to be a part of another", out);
  }
  if (seal_ && (!page.first_page || !next.parts.empty()))
    page.hints.is_public = false; // other callers could not use these cursors
  next.is_public = page.hints.is_public;
  out.push_back(send_to_client{list_answer(page.client_id, page.kind, items, next, seal_, hints_of(page))});
}

/// Returns the items.
std::string merged_lists::include(const part& of, const round& page, merged_place& next, catalog_effects& out) {
  auto server = sender_.members().find(of.server);
  if (!server)
    return {};
  if (has_failed_part(of, page)) {
    retries_.cancel({of.server, page.kind});
    announcements_.included(of.server, page.kind, out);
  }
  follow_cursor(of, page, next, out);
  return names_.learn(*server, of.answer, page.kind, page.first_page, out);
}

/// True if the server's part includes what failed before: that page or a later one, or the end of the list.
bool merged_lists::has_failed_part(const part& of, const round& page) const {
  const auto failed = announcements_.failed_page({of.server, page.kind});
  if (!failed)
    return page.first_page;
  return number_of(of.place) >= *failed || continuation_in(of.answer.text, of.answer.claims_modern).empty();
}

/// Ends a list that repeats a cursor, as it would never end.
void merged_lists::follow_cursor(const part& of, const round& page, merged_place& next, catalog_effects& out) {
  const auto token = continuation_in(of.answer.text, of.answer.claims_modern);
  const auto cut = [&](std::string why) {
    announcements_.failed({of.server, page.kind}, number_of(of.place) + 1, std::move(why), out);
  };
  if (token.empty())
    return;
  if (!token.starts_with('"'))
    cut("its cursor is no text");
  else if (of.place.token.empty())
    next.parts.push_back({of.server, std::string{token}});
  else if (of.place.has_seen(token))
    cut("the list does not end: it repeats a cursor");
  else
    next.parts.push_back(of.place.followed_by(token));
}

/// Returns the cache hints for the client, if it reads any.
std::optional<cache_hints> merged_lists::hints_of(const round& page) const {
  if (!sender_.reads_modern())
    return std::nullopt;
  return page.parts.empty() ? cache_hints{} : page.hints;
}

/// Omits a server's part from a list; the client is notified when the part is available.
void merged_lists::leave_out(const part& of, list_kind kind, std::optional<std::string> why, time_point now,
                             catalog_effects& out) {
  if (!sender_.members().find(of.server))
    return;
  announcements_.left_out(of.server, kind);
  const member_list which{of.server, kind};
  const auto page = number_of(of.place);
  if (why)
    return fail(which, page, std::move(*why), now, out);
  if (!sender_.make_late(of.own_id, now + late_patience))
    return;
  announcements_.failed(which, page, "it takes longer than " + std::to_string(patience_.count()) + " ms to answer",
                        out);
  await_late(which, of.own_id, out);
}

/// Waits for the last request only, so that a client's repeated requests leave nothing behind.
void merged_lists::await_late(const member_list& which, std::uint64_t own, catalog_effects& out) {
  if (auto earlier = announcements_.expect_late(which.server, which.kind, own); earlier != 0)
    sender_.withdraw(earlier, cancellation_of("0", "superseded"), out);
}

void merged_lists::fail(const member_list& which, std::uint64_t page, std::string why, time_point now,
                        catalog_effects& out) {
  retries_.failed({which.server, which.kind}, now);
  announcements_.failed(which, page, std::move(why), out);
}

/// Handles a failure on the way to the page that failed before.
void merged_lists::fail_again(const member_list& which, std::string why, time_point now, catalog_effects& out) {
  fail(which, announcements_.failed_page(which).value_or(0), std::move(why), now, out);
}

void merged_lists::give_up(const member_request& asked, std::uint64_t own, time_point now, catalog_effects& out) {
  const member_list which{asked.server, asked.list};
  sender_.withdraw(own, cancellation_of("0", "no answer in time"), out);
  fail_again(which, "it does not answer within " + seconds_text(late_patience), now, out);
}

/// Starts at the first page, as cursors may be valid for a short time only.
void merged_lists::ask_again(const member_list& which, time_point now, catalog_effects& out) {
  if (!sender_.members().find(which.server)->may_list(group_of(which.kind)))
    return retries_.forget({which.server, which.kind});
  const auto pages = std::min(announcements_.failed_page(which).value_or(0), most_late_pages);
  ask_for_late_page(which, "", pages, now, out);
}

void merged_lists::ask_for_late_page(const member_list& which, std::string_view params, std::uint64_t pages_left,
                                     time_point now, catalog_effects& out) {
  auto text = R"({"jsonrpc":"2.0","id":0,"method":)" + quoted(list_method(which.kind));
  auto request = gateway_message(std::move(text.append(params).append("}")));
  request.requester = requester_;
  member_request how{.server = which.server,
                     .is = member_request::kind::late_page,
                     .list = which.kind,
                     .pages_left = pages_left,
                     .deadline = now + late_patience};
  auto& server = *sender_.members().find(which.server);
  await_late(which, sender_.ask(server, std::move(request), std::move(how), out), out);
}

void merged_lists::receive_late_page(const member_request& asked, const message& from, time_point now,
                                     catalog_effects& out) {
  if (!sender_.members().find(asked.server))
    return;
  if (auto why = cause_of_failure(from, asked.list); why && !why->empty())
    return fail_again({asked.server, asked.list}, std::move(*why), now, out);
  if (auto next = next_cursor(from.text, from.claims_modern); asked.pages_left > 0 && !next.empty())
    return ask_for_late_page({asked.server, asked.list}, R"(,"params":{"cursor":)" + std::string{next} + "}",
                             asked.pages_left - 1, now, out);
  retries_.cancel({asked.server, asked.list});
  announcements_.answered_late(asked.server, asked.list, out);
  if (late_announcements_.is_due_now({asked.server, asked.list}, now))
    announcements_.came_late(asked.server, asked.list, out);
}

void merged_lists::tick(time_point now, catalog_effects& out) {
  for (auto& due : late_announcements_.extract_due(now))
    announcements_.came_late(due.server, *due.list, out);
}

} // namespace troupe::protocol
