#include "protocol/modern_client/adapter_requests.hpp"

#include "protocol/message/era.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/supervised/initialize_outcome.hpp"
#include "protocol/text/json.hpp"

#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

/// Returns the member's value if it starts with `first`; otherwise an empty text.
std::string token_of(std::string_view object, std::string_view name, char first) {
  auto token = find_member(object, {name});
  return std::string{token && token->front() == first ? *token : std::string_view{}};
}

} // namespace

void adapter_requests::ask_for(const message& request) {
  requester_ = request.requester;
  trace_ = request.trace;
}

void adapter_requests::ask(asked what, std::string_view method, std::string_view params, stateless_effects& out) {
  auto id = quoted("face-" + std::to_string(++last_));
  std::string text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + quoted(method) + R"(,"params":)";
  (text += params) += "}";
  auto one = gateway_message(std::move(text));
  one.requester = requester_;
  one.trace = trace_;
  one.claims_modern = what.is == purpose::initialize;
  under_way_.emplace(std::move(id), what);
  out.push_back(forward_to_server{std::move(one)});
}

std::optional<adapter_requests::asked> adapter_requests::extract(const message& answer) {
  auto node = under_way_.extract(answer.id);
  return node ? std::optional{node.mapped()} : std::nullopt;
}

void server_initialization::begin(const client_profile& can, std::string_view gateway_version, adapter_requests& ours,
                                  stateless_effects& out) {
  if (is_ != phase::none)
    return;
  is_ = phase::asked;
  ours.ask({adapter_requests::purpose::initialize}, "initialize",
           R"({"protocolVersion":")" + std::string{newest_session_version} + R"(","capabilities":)" +
               declared_capabilities(can) + R"(,"clientInfo":{"name":"troupe","version":)" + quoted(gateway_version) +
               "}}",
           out);
}

std::optional<std::string> server_initialization::receive_response(const message& answer, stateless_effects& out) {
  auto read = read_initialize_outcome(answer);
  if (auto refused = std::get_if<initialize_failure>(&read)) {
    is_ = phase::none;
    return answer.is_shortage ? string_member(answer.text, {"error", "message"})
                              : "The MCP server cannot be used: " + refused->why;
  }
  auto& greeting = std::get<initialize_outcome>(read);
  greeting.leave_out_tasks();
  is_ = phase::ready;
  if (auto all = token_of(greeting.result, "capabilities", '{'); !all.empty())
    capabilities_ = std::move(all);
  server_info_ = token_of(greeting.result, "serverInfo", '{');
  instructions_ = token_of(greeting.result, "instructions", '"');
  is_modern_ = greeting.takes_modern;
  has_tools_ = greeting.tools;
  has_logging_ = find_member(capabilities_, {"logging"}).has_value();
  out.push_back(forward_to_server{gateway_message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  return std::nullopt;
}

void server_initialization::server_lost() { *this = {}; }

send_response server_initialization::discovery(exchange_id exchange, const message& request) const {
  auto text = R"({"jsonrpc":"2.0","id":)" + request.id +
              R"(,"result":{"supportedVersions":["2026-07-28"],"capabilities":)" + capabilities_;
  if (!instructions_.empty())
    text += R"(,"instructions":)" + instructions_;
  text += R"(,"ttlMs":0,"cacheScope":"private",)" + result_members("complete", server_info_) + "}}";
  return {exchange, std::move(text), 0};
}

} // namespace troupe::protocol
