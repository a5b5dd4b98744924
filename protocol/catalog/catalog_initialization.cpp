#include "protocol/catalog/catalog_initialization.hpp"

#include "protocol/message/era.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::protocol {

namespace {

message set_level(severity level) {
  return gateway_message(R"({"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":")" +
                         std::string{name_of(level)} + "\"}}");
}

/// Returns the fault in a server's answer to `initialize`; empty if there is none.
std::string greeting_error(const message& from) {
  if (auto why = string_member(from.text, {"error", "message"}); !why.empty())
    return why;
  if (!has_result(from))
    return "The MCP server refused to initialize";
  if (!is_session_version(string_member(from.text, {"result", "protocolVersion"})))
    return "The MCP server answered initialize with a protocol version that is not known";
  return {};
}

} // namespace

void catalog_log_level::set(const message& from, catalog_effects& out) {
  auto name = string_param(from, "level");
  auto level = read_severity(name);
  if (!level) {
    out.push_back(refused(from, error_code::invalid_params, "Unknown log level: " + one_line(name)));
    return;
  }
  out.push_back(send_to_client{gateway_message(empty_result(from.id))});
  level_ = level;
  for (auto& one : sender_.members().all())
    if (one.ready())
      tell(one, out);
}

/// Forgets the previous request, whose answer no longer matters: repeated requests of a client leave nothing behind.
void catalog_log_level::tell(catalog_member& one, catalog_effects& out) {
  if (!level_ || !one.capabilities->logging)
    return;
  constexpr auto level = member_request::kind::level;
  sender_.forget(one.id(), level);
  sender_.ask(one, set_level(*level_), {.server = one.id(), .is = level}, out);
}

void catalog_initialization::begin(message hello, time_point now, catalog_effects& out) {
  sender_.begin(std::move(hello));
  until_ = now + patience_;
  eager_until_ = now + eager_patience_;
  greet_new(out);
  tick(now, out);
}

void catalog_initialization::greet_new(catalog_effects& out) {
  if (sender_.hello().empty())
    return;
  for (auto& one : sender_.members().all())
    if (!one.failed && (one.server.eager || (!one.capabilities && !one.server.slow && !answered_)))
      sender_.greet(one, out);
  answer_if_complete(out);
}

std::string catalog_initialization::receive_response(catalog_member& one, const message& from, catalog_effects& out) {
  auto why = greeting_error(from);
  one.failed = !why.empty();
  one.is = one.failed ? catalog_member::phase::idle : catalog_member::phase::ready;
  if (one.failed)
    return why;
  auto result = *find_member(from.text, {"result"});
  one.learn(result);
  out.push_back(member_known{one.id(), std::string{result}});
  out.push_back(send_to_member{one.id(), gateway_message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  return {};
}

void catalog_initialization::answer_if_complete(catalog_effects& out) {
  if (!answered_ && is_complete())
    answer(out);
}

void catalog_initialization::tick(time_point now, catalog_effects& out) {
  if (answered_ || now < until_)
    return;
  late_ = true;
  until_ = eager_until_;
  if (now >= eager_until_)
    answer(out);
  else
    answer_if_complete(out);
}

bool catalog_initialization::is_complete() const {
  auto& all = sender_.members().all();
  return std::none_of(all.begin(), all.end(), [&](auto& one) { return waits_for(one); });
}

/// A server that was slow in an earlier session delays no later one.
bool catalog_initialization::waits_for(const catalog_member& one) const {
  return !one.capabilities && !one.failed && !one.server.slow && (one.server.eager || !late_);
}

void catalog_initialization::answer(catalog_effects& out) {
  answered_ = true;
  until_ = time_point::max();
  for (auto& one : sender_.members().all()) {
    declared_ = merged(declared_, one.presumed());
    if (one.is == catalog_member::phase::greeting && !one.capabilities && !one.server.slow)
      out.push_back(member_slow{one.id()});
  }
  auto hello = gateway_message(sender_.hello());
  auto asked = string_member(hello.text, {"params", "protocolVersion"});
  auto version = is_session_version(asked) ? std::string_view{asked} : newest_session_version;
  auto text = R"({"jsonrpc":"2.0","id":)" + hello.id + R"(,"result":{"protocolVersion":)" + quoted(version) +
              R"(,"capabilities":)" + capabilities_text(declared_) + R"(,"serverInfo":{"name":"troupe","version":)" +
              quoted(version_) + "}";
  if (auto said = instructions(); !said.empty())
    text += R"(,"instructions":)" + quoted(said);
  out.push_back(send_to_client{gateway_message(text + "}}")});
}

/// Puts the server's name above each text, if there are several servers.
std::string catalog_initialization::instructions() const {
  auto& all = sender_.members().all();
  if (all.size() == 1)
    return all.front().instructions;
  std::string result;
  for (auto& one : all)
    if (!one.instructions.empty())
      result += (result.empty() ? "" : "\n\n") + one.server.name + ":\n" + one.instructions;
  return result;
}

} // namespace troupe::protocol
