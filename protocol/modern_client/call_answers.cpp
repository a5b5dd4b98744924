#include "protocol/modern_client/call_answers.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/modern_client/legacy_messages.hpp"
#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

namespace {

/// Error code: the user has to open URLs first (2025-11-25, elicitation, "URL Elicitation Required Error").
constexpr int urls_required = -32042;

/// Lists only 2026-07-28: a server may know revisions that its client cannot use through the gateway.
message with_our_versions(message discovery) {
  constexpr std::string_view ours = R"(["2026-07-28"])";
  auto versions = find_member(discovery.text, {"result", "supportedVersions"});
  if (!versions || *versions == ours)
    return discovery;
  auto edit = replacing(discovery.text, *versions, std::string{ours});
  return spliced(std::move(discovery), {std::move(edit)});
}

} // namespace

void adapter_notifications::pass_progress(message note, stateless_effects& out) {
  auto own = own_id(note.reference);
  auto call = own ? calls_.find(*own) : nullptr;
  if (call && call->exchange && !call->token.empty())
    out.push_back(send_notification{*call->exchange, relayed(std::move(note), {}, call->token).text});
}

void adapter_notifications::pass_log(const message& note, stateless_effects& out) {
  auto call = calls_.only_at_server();
  auto level = read_severity(string_param(note, "level"));
  if (call && call->exchange && call->level && level && *level >= *call->level)
    out.push_back(send_notification{*call->exchange, note.text});
}

void adapter_notifications::send_level(stateless_effects& out) {
  if (!start_.has_logging() || start_.is_modern())
    return;
  if (auto level_change = calls_.news_of_level())
    ours_.ask({adapter_requests::purpose::log_level}, "logging/setLevel",
              R"({"level":")" + std::string{name_of(*level_change)} + R"("})", out);
}

void call_answers::finish(exchange_id own, message answer, time_point now, stateless_effects& out) {
  auto call = calls_.find(own);
  if (!call)
    return;
  if (!call->exchange)
    return parked_.keep(*call, std::move(answer), now, out);
  parked_.pass_on(*call, now, out);
  if (call->passes)
    return pass(*call, std::move(answer), out);
  if (error_code_of(answer) == urls_required && is_interactive(call->method))
    return require_urls(*call, std::move(answer), now, out);
  give(*call, std::move(answer), out);
}

void call_answers::require_urls(adapter_call& call, message answer, time_point now, stateless_effects& out) {
  auto urls = required_elicitations(answer);
  if (urls.empty())
    return give(call, std::move(answer), out);
  if (!call.can.url)
    return give(call,
                lacks_capabilities(*call.exchange, call.id, {.url = true},
                                   "The MCP server needs a client that can let its user open a URL"),
                out);
  if (!parked_.ask_for_urls(call, urls, now, out))
    give(call,
         refused_request(*call.exchange, call.id, error_code::internal_error,
                         "Too many questions wait for clients: try again later"),
         out);
}

void call_answers::decline_urls(const adapter_call& call, stateless_effects& out) {
  constexpr std::string_view why = "The user did not open the URL that the MCP server needs";
  if (call.method != "tools/call")
    return give(call, refused_request(*call.exchange, call.id, error_code::internal_error, why), out);
  give(call,
       gateway_message(R"({"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":)" + quoted(why) +
                       R"(}],"isError":true}})"),
       out);
}

void call_answers::pass(const adapter_call& call, message answer, stateless_effects& out) {
  learn(call, answer);
  if (call.method == "server/discover")
    answer = with_our_versions(std::move(answer));
  give(call, passed_answer(std::move(answer), reader_of(call)), out);
}

void call_answers::learn(const adapter_call& call, const message& answer) {
  if (call.method == "tools/list")
    tools_.learn(find_member(answer.text, {"result"}).value_or(""));
}

void call_answers::give(const adapter_call& call, message answer, stateless_effects& out) {
  learn(call, answer);
  give(call, modern_answer(std::move(answer), reader_of(call)), out);
}

modern_reader call_answers::reader_of(const adapter_call& call) const {
  return {*call.exchange, call.id, call.method, call.uri, start_.server_info(), call.can};
}

void call_answers::give(const adapter_call& call, send_response answer, stateless_effects& out) {
  out.push_back(std::move(answer));
  calls_.remove(call.own);
}

} // namespace troupe::protocol
