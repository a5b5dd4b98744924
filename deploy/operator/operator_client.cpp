#include "deploy/operator/operator_client.hpp"

#include "deploy/config/file_text.hpp"
#include "deploy/log/log_line.hpp"
#include "net/client/waiting_call.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"
#include "protocol/text/percent.hpp"
#include "protocol/text/string_member.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_token = 4096;
constexpr auto token_variable = "TROUPE_ADMIN_TOKEN";

/// What could end a header, or is no token at all, is not sent.
std::string checked_token(std::string token, const std::string& from) {
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (token.empty() || token.size() > longest_token || !std::all_of(token.begin(), token.end(), is_visible))
    throw operator_failure(from + " has no token: that is one word of up to 4096 visible characters");
  return token;
}

std::string shown_token(const std::string& file) {
  if (file.empty()) {
    const auto* const given = std::getenv(token_variable);
    return given && *given ? checked_token(given, token_variable) : "";
  }
  const auto text = file_text(file, longest_token + 2); // the end of its line may have two bytes
  if (!text)
    throw operator_failure("cannot read " + escaped(file) + ": " + std::strerror(errno));
  return checked_token(text->substr(0, text->find_last_not_of("\r\n") + 1), escaped(file));
}

[[noreturn]] void fail_unreachable(const std::string& at, const net::waited_answer& answer) {
  if (answer.is_nobody_there)
    throw nobody_there("no gateway listens for operators at " + at + ": start it with --admin-listen, or give --admin");
  throw operator_failure("cannot ask " + at + ": " + answer.why_not);
}

std::string refusal_text(const std::string& at, const net::waited_answer& answer, bool has_token) {
  if (answer.status == 401)
    return has_token ? at + " does not take this token: name the file of its own with --admin-token-file"
                     : at + " wants a token: name its file with --admin-token-file, or set " + token_variable;
  const auto is_json = !protocol::json_error(answer.body);
  const auto why = is_json ? protocol::string_member(answer.body, {"error"}) : "";
  return why.empty() ? at + " answers with status " + std::to_string(answer.status) +
                           ": give --admin if it is not the gateway's"
                     : escaped(why);
}

} // namespace

operator_client::operator_client(const operator_options& options)
    : place_{*read_admin_place(options.admin)}, token_{shown_token(options.token_file)}, node_{options.node} {
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
  if (!token_.empty())
    call.fields.emplace_back("Authorization", "Bearer " + token_);
  if (!body.empty())
    call.fields.emplace_back("Content-Type", "application/json");
  auto answer = net::wait_for_answer(call, place_.socket_path, {}, piece);
  if (!answer.why_not.empty())
    fail_unreachable(place_.name, answer);
  if (answer.status < 200 || answer.status > 299)
    throw operator_failure(refusal_text(place_.name, answer, !token_.empty()));
  return std::move(answer.body);
}

} // namespace troupe::deploy
