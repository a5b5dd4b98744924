#include "protocol/catalog/catalog.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::vector<std::uint64_t> ids_of(const std::vector<catalog_member>& members) {
  std::vector<std::uint64_t> result;
  for (auto& one : members)
    result.push_back(one.id());
  return result;
}

std::string unknown_method(const message& from) { return "Method not found: " + from.method; }

} // namespace

catalog::catalog(catalog_limits limits, std::vector<catalog_server> servers) : limits_{std::move(limits)} {
  for (auto& one : servers)
    members_.emplace_back(std::move(one));
  for (auto& table : names_)
    table.set_servers(ids_of(members_));
}

// -- from the client ---------------------------------------------------------------

catalog_effects catalog::client_sent(message from, time_point now) {
  effects out;
  if (ended_)
    return out;
  if (from.kind == message_kind::request) {
    take_request(std::move(from), now, out);
    return out;
  }
  if (from.kind == message_kind::notification) {
    take_notification(std::move(from), out);
    return out;
  }
  auto own = own_id(from.id);
  auto question = own ? questions_.extract(*own) : decltype(questions_)::node_type{};
  if (question)
    out.push_back(tell_member{question.mapped().server, relayed(std::move(from), question.mapped().id, {})});
  return out;
}

void catalog::take_request(message from, time_point now, effects& out) {
  if (from.method == "ping")
    out.push_back(tell_client{made(empty_result(from.id))});
  else if ((from.method == "initialize") == hello_.has_value())
    refuse(from, error_code::invalid_request, "Bad Request: a session is initialized first, and once", out);
  else if (calls_.contains(from.id))
    refuse(from, error_code::invalid_request, "Bad Request: a request with this id is already in flight", out);
  else if (calls_.size() >= limits_.calls)
    refuse(from, error_code::internal_error, "Too many calls are in flight", out);
  else if (somebody_starts() && waiting_bytes() + from.text.size() * members_.size() > limits_.waiting_bytes)
    refuse(from, error_code::internal_error, "Too much waits for servers to start", out);
  else
    route(std::move(from), now, out);
}

std::size_t catalog::waiting_bytes() const {
  std::size_t result = 0;
  for (auto& one : members_)
    for (auto& request : one.waiting)
      result += request.text.size();
  return result;
}

bool catalog::somebody_starts() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](auto& one) { return one.is != catalog_member::phase::ready; });
}

void catalog::route(message from, time_point now, effects& out) {
  if (auto kind = list_asked_by(from.method))
    return list(from, *kind, now, out);
  if (from.method == "initialize")
    return begin(std::move(from), now, out);
  if (from.method == "tools/call")
    return call_named(std::move(from), list_kind::tools, out);
  if (from.method == "prompts/get" ||
      (from.method == "completion/complete" && find_member(from.text, {"params", "ref", "type"}) != "\"ref/resource\""))
    return call_named(std::move(from), list_kind::prompts, out);
  if (from.method == "resources/read" || from.method == "resources/subscribe" ||
      from.method == "resources/unsubscribe" || from.method == "completion/complete")
    return call_resource(std::move(from), out);
  if (from.method == "logging/setLevel")
    return set_level(std::move(from), out);
  pass_on(std::move(from), out);
}

/// A method that nobody here knows says not whom it is for, unless there is but one.
void catalog::pass_on(message from, effects& out) {
  if (members_.size() == 1)
    call(members_.front(), std::move(from), result_shape::other, out);
  else
    refuse(from, error_code::method_not_found, unknown_method(from), out);
}

void catalog::take_notification(message from, effects& out) {
  if (from.method == "notifications/initialized")
    return;
  if (from.method == "notifications/cancelled")
    return cancel(from, out);
  if (from.method == "notifications/progress") {
    auto own = own_id(from.reference);
    auto question = own ? questions_.find(*own) : questions_.end();
    if (question != questions_.end() && !question->second.token.empty())
      out.push_back(tell_member{question->second.server, relayed(std::move(from), {}, question->second.token)});
    return;
  }
  for (auto& one : members_)
    if (one.is == catalog_member::phase::ready)
      out.push_back(tell_member{one.id(), from});
}

void catalog::cancel(const message& from, effects& out) {
  auto call = calls_.extract(from.reference);
  if (!call)
    return;
  for (auto own : call.mapped().own_ids)
    withdraw(own, from, out);
}

// -- members -----------------------------------------------------------------------

catalog_member* catalog::find(std::uint64_t server) {
  auto found = std::find_if(members_.begin(), members_.end(), [&](auto& one) { return one.id() == server; });
  return found == members_.end() ? nullptr : &*found;
}

catalog_member* catalog::find_leaving_too(std::uint64_t server) {
  for (auto all : {&members_, &leaving_})
    for (auto& one : *all)
      if (one.id() == server)
        return &one;
  return nullptr;
}

/// The one server without a prefix: what bears no mark of another is its.
const catalog_member* catalog::sole_unprefixed() const {
  const catalog_member* result = nullptr;
  for (auto& one : members_) {
    if (!one.server.prefix.empty())
      continue;
    if (result)
      return nullptr;
    result = &one;
  }
  return result;
}

catalog_effects catalog::server_lost(std::uint64_t server, const std::string& why, time_point) {
  effects out;
  auto lost = find_leaving_too(server);
  if (ended_ || !lost)
    return out;
  lost->stale = lost->stale || lost->is == catalog_member::phase::ready;
  auto ends = find(server) && lost->server.ends_session;
  abandon(server, why, out);
  if (ends) {
    ended_ = true;
    out.push_back(end_catalog{why});
  }
  return out;
}

catalog_effects catalog::servers_changed(std::vector<catalog_server> servers, time_point) {
  effects out;
  if (ended_)
    return out;
  auto before = ids_of(members_);
  auto old = std::exchange(members_, {});
  for (auto& one : servers) {
    auto known = std::find_if(old.begin(), old.end(), [&](auto& member) { return member.id() == one.id; });
    if (known == old.end()) {
      members_.emplace_back(std::move(one));
    } else {
      members_.push_back(std::move(*known));
      old.erase(known);
    }
  }
  for (auto& table : names_)
    table.set_servers(ids_of(members_));
  auto changed = ids_of(members_).size() != before.size();
  for (auto& one : old) {
    if (find(one.id()))
      continue;
    changed = true;
    leaving_.push_back(std::move(one));
    remove(leaving_.back().id(), out);
  }
  greet_new(out);
  if (!changed)
    return out;
  for (auto group : {list_group::tools, list_group::prompts, list_group::resources})
    announce(group, out);
  return out;
}

/// The calls that it is at may finish. It has no part in anything else.
void catalog::remove(std::uint64_t server, effects& out) {
  std::vector<std::uint64_t> parts;
  auto ready = find_leaving_too(server)->is == catalog_member::phase::ready;
  for (auto& [own, asked] : asked_)
    if (asked.server == server && (asked.why != reason::call || !ready))
      parts.push_back(own);
  for (auto own : parts)
    fail(own, "The MCP server was removed", out);
  let_go(server, out);
}

/// A server that was removed goes when nothing more is wanted of it.
void catalog::let_go(std::uint64_t server, effects& out) {
  auto gone = std::find_if(leaving_.begin(), leaving_.end(), [&](auto& one) { return one.id() == server; });
  auto is_its = [&](auto& entry) { return entry.second.server == server; };
  if (gone == leaving_.end() || std::any_of(asked_.begin(), asked_.end(), is_its))
    return;
  abandon(server, "The MCP server was removed", out);
  leaving_.erase(gone);
  out.push_back(member_left{server});
}

// -- time --------------------------------------------------------------------------

catalog_effects catalog::tick(time_point now) {
  effects out;
  if (ended_)
    return out;
  if (now >= greet_until_)
    answer_begin(out);
  std::vector<std::string> late;
  for (auto& [id, call] : calls_)
    if (auto round = std::get_if<list_round>(&call.what); round && now >= round->until)
      late.push_back(id);
  for (auto& id : late)
    finish_list(id, out);
  return out;
}

time_point catalog::deadline() const {
  if (ended_)
    return time_point::max();
  auto first = greet_until_;
  for (auto& [id, call] : calls_)
    if (auto round = std::get_if<list_round>(&call.what))
      first = std::min(first, round->until);
  return first;
}

} // namespace troupe::protocol
