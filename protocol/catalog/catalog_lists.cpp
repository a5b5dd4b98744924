// Lists of several servers as one, page by page, and how changes of them are announced.

#include "protocol/catalog/catalog.hpp"
#include "protocol/catalog/merged_name.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// The request with another cursor, or without any when that is empty.
message with_cursor(message from, std::string_view token) {
  auto params = find_member(from.text, {"params"});
  if (!params || !find_member(*params, {"cursor"}))
    return from;
  if (token.empty())
    return made(spliced(from.text, {replacing(from.text, *params, without_member(*params, "cursor"))}));
  std::vector<edit> edits;
  for (object_reader members{*params}; members.next();)
    if (members.key() == "cursor")
      edits.push_back(replacing(from.text, members.value(), std::string{token}));
  return spliced(std::move(from), std::move(edits));
}

/// Some clients write null where a list begins.
bool begins(const message& from) {
  auto token = find_member(from.text, {"params", "cursor"});
  return !token || token == "null";
}

std::optional<std::vector<server_cursor>> cursors_of(const message& from) {
  auto token = find_member(from.text, {"params", "cursor"});
  auto cursor = token ? string_value(*token) : std::nullopt;
  return cursor ? read_merged_cursor(*cursor) : std::nullopt;
}

message response(std::string_view id, const std::string& result) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  slice at{text.size(), id.size()};
  (text += id) += R"(,"result":)" + result + "}";
  return {.kind = message_kind::response, .text = std::move(text), .id = std::string{id}, .id_at = at};
}

bool has_names(list_kind kind) { return kind == list_kind::tools || kind == list_kind::prompts; }

std::size_t index(list_kind kind) { return static_cast<std::size_t>(kind); }

void set_missing(catalog_member& one, list_group group, bool whether) {
  for (auto kind : {list_kind::tools, list_kind::prompts, list_kind::resources, list_kind::templates})
    if (group_of(kind) == group)
      one.missing[index(kind)] = whether;
}

bool take_missing(catalog_member& one, list_group group) {
  auto before = one.missing;
  set_missing(one, group, false);
  return before != one.missing;
}

} // namespace

// -- asking ------------------------------------------------------------------------

void catalog::list(const message& from, list_kind kind, time_point now, effects& out) {
  auto first_page = begins(from);
  auto cursors = first_page ? first_pages(kind, out) : cursors_of(from);
  if (!cursors)
    return refuse(from, error_code::invalid_params, "Invalid cursor", out);
  ask_for_pages(from, {kind, first_page, now + limits_.list_patience}, *cursors, out);
}

/// The servers whose part belongs in a list. One that failed is tried again, but not waited for.
std::optional<std::vector<server_cursor>> catalog::first_pages(list_kind kind, effects& out) {
  std::vector<server_cursor> result;
  for (auto& one : members_) {
    if (one.may_list(group_of(kind)))
      result.push_back({one.id(), {}});
    if (!one.failed)
      continue;
    one.missing[index(kind)] = true;
    greet(one, out);
  }
  return result;
}

void catalog::ask_for_pages(const message& from, list_round round, const std::vector<server_cursor>& cursors,
                            effects& out) {
  client_call call;
  for (auto& one : members_) {
    auto wanted = std::find_if(cursors.begin(), cursors.end(), [&](auto& part) { return part.server == one.id(); });
    if (wanted == cursors.end())
      continue;
    member_call how{.server = one.id(), .why = reason::page, .client_id = from.id, .list = round.kind};
    auto own = ask(one, with_cursor(from, wanted->token), std::move(how), out);
    call.own_ids.push_back(own);
    round.parts.push_back({one.id(), own});
  }
  auto nobody = round.parts.empty();
  call.what = std::move(round);
  calls_[from.id] = std::move(call);
  if (nobody)
    finish_list(from.id, out);
}

// -- answering -----------------------------------------------------------------------

void catalog::take_page(const member_call& asked, std::uint64_t own_id, message from, effects& out) {
  auto& round = std::get<list_round>(calls_.at(asked.client_id).what);
  auto same = [&](auto& part) { return part.own_id == own_id; };
  std::find_if(round.parts.begin(), round.parts.end(), same)->answer = std::move(from.text);
  if (std::none_of(round.parts.begin(), round.parts.end(), [](auto& part) { return part.answer.empty(); }))
    finish_list(asked.client_id, out);
}

void catalog::finish_list(const std::string& client_id, effects& out) {
  auto call = calls_.extract(client_id);
  auto& round = std::get<list_round>(call.mapped().what);
  std::string items;
  std::vector<server_cursor> cursors;
  for (auto& part : round.parts) {
    if (!has_result(part.answer)) {
      leave_out(part, round.kind, out);
      continue;
    }
    if (auto server = find(part.server); server && round.first_page)
      server->missing[index(round.kind)] = false;
    if (auto more = merged_items(part, round); !more.empty())
      items += (items.empty() ? "" : ",") + more;
    if (auto next = next_cursor(part.answer); !next.empty())
      cursors.push_back({part.server, std::string{next}});
  }
  auto result = "{" + quoted(items_member(round.kind)) + ":[" + items + "]";
  if (!cursors.empty())
    result += R"(,"nextCursor":")" + merged_cursor(cursors) + '"';
  out.push_back(tell_client{response(client_id, result + "}")});
}

/// The client gets a list without a server's part, and is told when that can be had. One answer is waited for, so that
/// a client that asks again and again leaves nothing behind.
void catalog::leave_out(const list_part& part, list_kind kind, effects& out) {
  auto server = find(part.server);
  if (!server)
    return;
  server->missing[index(kind)] = true;
  if (!part.answer.empty())
    return;
  auto id = std::to_string(part.own_id);
  if (std::erase_if(server->waiting, [&](const message& one) { return one.id == id; }) != 0) {
    asked_.erase(part.own_id);
    return;
  }
  auto& late = server->late[index(kind)];
  withdraw(late, made(cancelled_text("0", "superseded")), out);
  late = part.own_id;
  asked_.at(part.own_id).why = reason::late_page;
}

std::string catalog::merged_items(const list_part& part, const list_round& round) {
  auto server = find(part.server);
  auto items = find_member(part.answer, {"result", items_member(round.kind)});
  if (!server)
    return {};
  auto& table = names(round.kind);
  if (round.first_page && has_names(round.kind))
    table.begin(part.server);
  std::string result;
  if (items && items->front() == '[')
    for (array_reader each{*items}; each.next();)
      if (auto item = merged_item(*server, each.value(), round); !item.empty())
        result += (result.empty() ? "" : ",") + item;
  if (next_cursor(part.answer).empty() && has_names(round.kind))
    table.complete(part.server);
  return result;
}

std::string_view catalog::next_cursor(std::string_view answer) {
  auto token = find_member(answer, {"result", "nextCursor"});
  return token && token->front() == '"' ? *token : std::string_view{};
}

bool catalog::has_result(std::string_view answer) {
  auto result = answer.empty() ? std::nullopt : find_member(answer, {"result"});
  return result && result->front() == '{';
}

/// The item under the name that clients see; empty when it has none, or one that is another server's.
std::string catalog::merged_item(const catalog_member& of, std::string_view item, const list_round& round) {
  auto token = find_member(item, {key_member(round.kind)});
  auto original = token ? string_value(*token) : std::nullopt;
  auto key = original ? merged_key(of, *original, round) : std::nullopt;
  return key ? spliced(item, {replacing(item, *token, quoted(*key))}) : std::string{};
}

std::optional<std::string> catalog::merged_key(const catalog_member& of, std::string_view original,
                                               const list_round& round) {
  if (!has_names(round.kind))
    return client_uri(of, original);
  auto name = merged_name(of.server.name, of.server.prefix, original);
  auto ours = original.size() <= longest_name && names(round.kind).learn(of.id(), name, original, round.first_page);
  return ours ? std::optional{std::move(name)} : std::nullopt;
}

// -- changes -----------------------------------------------------------------------

void catalog::take_late_page(const member_call& asked, const message& from, effects& out) {
  auto server = find(asked.server);
  if (!server)
    return;
  server->late[index(asked.list)] = 0;
  if (has_result(from.text) && std::exchange(server->missing[index(asked.list)], false))
    announce(group_of(asked.list), out);
}

void catalog::announce(list_group group, effects& out) const {
  if (told_.has(group))
    out.push_back(tell_client{made(R"({"jsonrpc":"2.0","method":)" + quoted(changed_method(group)) + "}")});
}

/// What the client's lists lack of a server that is there now, or what they have of one that was away.
void catalog::announce_missing(catalog_member& one, effects& out) const {
  auto stale = std::exchange(one.stale, false);
  for (auto group : {list_group::tools, list_group::prompts, list_group::resources})
    if (take_missing(one, group) || stale)
      announce(group, out);
}

/// A server that failed or was lost is back when it says this, but knows nothing of this session yet.
void catalog::take_announcement(catalog_member& one, list_group group, message from, effects& out) {
  if (one.is == catalog_member::phase::greeting || one.failed || one.stale) {
    set_missing(one, group, true);
    return greet(one, out);
  }
  set_missing(one, group, false);
  if (told_.has(group))
    out.push_back(tell_client{std::move(from)});
}

} // namespace troupe::protocol
