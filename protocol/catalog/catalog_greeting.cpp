// How the client and the servers are brought together: `initialize`, both ways, and what servers are told after it.

#include "protocol/catalog/catalog.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/severity.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::string string_member(std::string_view text, std::initializer_list<std::string_view> path) {
  auto token = find_member(text, path);
  return token ? string_value(*token).value_or("") : "";
}

/// What is wrong with a server's answer to `initialize`; empty when nothing is.
std::string greeting_error(const message& from) {
  if (auto why = string_member(from.text, {"error", "message"}); !why.empty())
    return why;
  if (!find_member(from.text, {"result"}))
    return "The MCP server refused to initialize";
  if (!is_session_version(string_member(from.text, {"result", "protocolVersion"})))
    return "The MCP server answered initialize with a protocol version that is not known";
  return {};
}

} // namespace

void catalog::begin(message from, time_point now, effects& out) {
  hello_ = std::move(from);
  greet_until_ = now + limits_.greet_patience;
  greet_new(out);
}

/// Greets whom nobody asked for yet: eager servers, and those of which the client has to be told what they can.
void catalog::greet_new(effects& out) {
  if (!hello_)
    return;
  for (auto& one : members_)
    if (!one.failed && (one.server.eager || (!one.capabilities && !one.server.slow && !answered_)))
      greet(one, out);
  if (!answered_ && knows_all())
    answer_begin(out);
}

void catalog::greet(catalog_member& one, effects& out) {
  if (one.is != catalog_member::phase::idle || !hello_)
    return;
  one.is = catalog_member::phase::greeting;
  ask(one, *hello_, {.server = one.id(), .why = reason::greeting}, out);
}

void catalog::take_greeting(catalog_member& one, const message& from, effects& out) {
  if (auto why = greeting_error(from); !why.empty())
    return refuse_greeting(one, why, out);
  auto result = *find_member(from.text, {"result"});
  one.know(result);
  out.push_back(member_known{one.id(), std::string{result}});
  become_ready(one, out);
}

void catalog::become_ready(catalog_member& one, effects& out) {
  one.is = catalog_member::phase::ready;
  one.failed = false;
  out.push_back(tell_member{one.id(), made(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  if (level_)
    send_level(one, out);
  for (auto& request : std::exchange(one.waiting, {}))
    out.push_back(tell_member{one.id(), std::move(request)});
  announce_missing(one, out);
  if (!answered_ && knows_all())
    answer_begin(out);
}

void catalog::refuse_greeting(catalog_member& one, std::string_view why, effects& out) {
  one.is = catalog_member::phase::idle;
  one.failed = true;
  for (auto& request : std::exchange(one.waiting, {}))
    fail(*own_id(request.id), why, out);
  if (!answered_ && knows_all())
    answer_begin(out);
}

/// Whether waiting longer would tell the client more.
bool catalog::knows_all() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](auto& one) { return one.capabilities || one.failed || one.server.slow; });
}

void catalog::answer_begin(effects& out) {
  answered_ = true;
  greet_until_ = time_point::max();
  for (auto& one : members_) {
    told_ = merged(told_, one.presumed());
    if (one.is == catalog_member::phase::greeting && !one.capabilities && !one.server.slow)
      out.push_back(member_slow{one.id()});
  }
  auto asked = string_member(hello_->text, {"params", "protocolVersion"});
  auto version = is_session_version(asked) ? std::string_view{asked} : newest_session_version;
  auto text = R"({"jsonrpc":"2.0","id":)" + hello_->id + R"(,"result":{"protocolVersion":)" + quoted(version) +
              R"(,"capabilities":)" + capabilities_text(told_) + R"(,"serverInfo":{"name":"troupe","version":)" +
              quoted(limits_.version) + "}";
  if (auto said = instructions(); !said.empty())
    text += R"(,"instructions":)" + quoted(said);
  out.push_back(tell_client{made(text + "}}")});
}

std::string catalog::instructions() const {
  std::string result;
  for (auto& one : members_)
    if (!one.instructions.empty())
      result += (result.empty() ? "" : "\n\n") + one.server.name + ":\n" + one.instructions;
  return result;
}

// -- logging -----------------------------------------------------------------------

void catalog::set_level(message from, effects& out) {
  auto level = string_member(from.text, {"params", "level"});
  if (!read_severity(level))
    return refuse(from, error_code::invalid_params, "Unknown log level: " + level, out);
  out.push_back(tell_client{made(empty_result(from.id))});
  level_ = std::move(from);
  for (auto& one : members_)
    if (one.is == catalog_member::phase::ready)
      send_level(one, out);
}

/// The answer to an earlier one does not matter any more: a client that asks again and again leaves nothing behind.
void catalog::send_level(catalog_member& one, effects& out) {
  if (!one.capabilities->logging)
    return;
  std::erase_if(asked_,
                [&](auto& entry) { return entry.second.server == one.id() && entry.second.why == reason::level; });
  ask(one, *level_, {.server = one.id(), .why = reason::level}, out);
}

} // namespace troupe::protocol
