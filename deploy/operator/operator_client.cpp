#include "deploy/operator/operator_client.hpp"

#include "deploy/log/log_line.hpp"
#include "net/client/waiting_call.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

namespace troupe::deploy {

namespace {

[[noreturn]] void fail_unreachable(const std::string& at, const net::waited_answer& answer) {
  if (answer.is_nobody_there)
    throw nobody_there("no gateway listens for operators at " + at + ": start it with --admin-listen, or give --admin");
  throw operator_failure("cannot ask " + at + ": " + answer.why_not);
}

std::string refusal_text(const std::string& at, const net::waited_answer& answer, const operator_token& shown) {
  if (answer.status == 401)
    return refused_token_text(at, shown);
  const auto is_json = !protocol::json_error(answer.body);
  const auto why = is_json ? protocol::string_member(answer.body, {"error"}) : "";
  return why.empty() ? at + " answers with status " + std::to_string(answer.status) +
                           ": give --admin if it is not the gateway's"
                     : escaped(why);
}

} // namespace

operator_client::operator_client(const operator_options& options)
    : place_{*read_admin_place(options.admin)}, token_{token_for(options, place_)}, node_{options.node} {
  place_.name = escaped(place_.name);
}

operator_answer operator_client::ask(const std::string& method, const std::string& path, const operator_query& query,
                                     const std::string& body) const {
  auto text = send(method, target_of(path, query), body);
  if (protocol::json_error(text))
    throw operator_failure("what answers at " + place_.name + " is no JSON: give --admin if it is not the gateway's");
  auto value = protocol::json_value(text);
  return {std::move(text), std::move(value)};
}

std::string operator_client::get_text(const std::string& path) const { return send("GET", path, {}); }

void operator_client::follow(const std::string& path, const operator_query& query,
                             const std::function<bool(std::string_view)>& piece) const {
  send("GET", target_of(path, query), {}, piece);
}

std::string operator_client::target_of(const std::string& path, operator_query query) const {
  query.emplace_back("node", node_);
  auto result = path;
  auto mark = '?';
  for (const auto& [name, value] : query)
    if (!value.empty()) {
      result.append(1, mark).append(name).append("=").append(protocol::percent_encoded(value));
      mark = '&';
    }
  return result;
}

std::string operator_client::send(const std::string& method, const std::string& target, const std::string& body,
                                  const std::function<bool(std::string_view)>& piece) const {
  net::http_call call{.method = method, .url = place_.url + target, .fields = {}, .body = body};
  if (!token_.text.empty())
    call.fields.emplace_back("Authorization", "Bearer " + token_.text);
  if (!body.empty())
    call.fields.emplace_back("Content-Type", "application/json");
  auto answer = net::wait_for_answer(call, place_.socket_path, {}, piece);
  if (!answer.why_not.empty())
    fail_unreachable(place_.name, answer);
  if (answer.status < 200 || answer.status > 299)
    throw operator_failure(refusal_text(place_.name, answer, token_));
  return std::move(answer.body);
}

} // namespace troupe::deploy
