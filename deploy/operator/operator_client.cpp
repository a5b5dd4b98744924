#include "deploy/operator/operator_client.hpp"

#include "deploy/config/file_text.hpp"
#include "deploy/log/log_line.hpp"
#include "net/client/waiting_call.hpp"
#include "net/private_folder.hpp"
#include "protocol/options/admin_token.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto token_variable = "TROUPE_ADMIN_TOKEN";

bool is_token(const std::string& text) {
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  return !text.empty() && text.size() <= protocol::longest_admin_token && std::ranges::all_of(text, is_visible);
}

/// Checks a token before it is sent: other characters could end the header.
std::string checked_token(std::string token, const std::string& from) {
  if (!is_token(token))
    throw operator_failure(from + " has no token: that is one word of up to 4096 visible characters");
  return token;
}

std::string without_line_end(const std::string& text) { return text.substr(0, text.find_last_not_of("\r\n") + 1); }

std::string named_token(const std::string& file) {
  if (file.empty()) {
    const auto* const given = std::getenv(token_variable);
    return given && *given ? checked_token(given, token_variable) : "";
  }
  const auto text = file_text(file, protocol::longest_admin_token_file);
  if (!text)
    throw operator_failure("cannot read " + escaped(file) + ": " + std::strerror(errno));
  return checked_token(without_line_end(*text), escaped(file));
}

// -- token file of a gateway on this machine ----------------------------------------------------------

/// Returns the token in a folder that belongs to this user. Root may also read the service's, whose user cannot log in.
std::string token_in(const std::string& path, const std::string& name) {
  using net::private_folder;
  const auto is_of_service = path == service_folder && ::geteuid() == 0;
  std::string ignored;
  const auto folder =
      private_folder::open(path, ignored, is_of_service ? private_folder::owner::anyone : private_folder::owner::self);
  const auto text = folder ? folder->read(name, protocol::longest_admin_token_file) : std::nullopt;
  auto token = without_line_end(text.value_or(""));
  return is_token(token) ? token : "";
}

/// Returns the addresses to try. Of `localhost` only loopback ones: any other could be another user's.
std::vector<std::string> addresses_of(const std::string& host) {
  return protocol::same_word(host, "localhost") ? std::vector<std::string>{"127.0.0.1", "::1"}
                                                : std::vector<std::string>{host};
}

std::string url_at(const std::string& address, const protocol::http_url& of) {
  return "http://" + protocol::host_port_text(address, of.port) + (of.target == "/" ? "" : of.target);
}

operator_token find_token(const protocol::http_url& at, admin_endpoint& place) {
  operator_token result;
  for (const auto& folder : searched_folders())
    for (const auto& address : addresses_of(at.host)) {
      const auto name = protocol::admin_token_name(address, at.port);
      result.looked_for.push_back(folder + '/' + name);
      if (result.text = token_in(folder, name); !result.text.empty()) {
        place.url = url_at(address, at);
        return {result.text, result.looked_for.back(), {}};
      }
    }
  return result;
}

std::string joined(const std::vector<std::string>& files) {
  std::string result;
  for (const auto& file : files)
    result += (result.empty() ? "" : ", ") + escaped(file);
  return result;
}

[[noreturn]] void fail_unreachable(const std::string& at, const net::waited_answer& answer) {
  if (answer.is_unreachable)
    throw gateway_unreachable("no gateway listens for operators at " + at +
                              ": start it with --admin-listen, or give --admin");
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

operator_token token_for(const operator_options& options, admin_endpoint& place) {
  if (auto token = named_token(options.token_file); !token.empty() || !place.socket_path.empty())
    return {std::move(token)};
  std::string ignored;
  const auto url = protocol::parse_http_url(place.url, ignored);
  return url && url->is_here() ? find_token(*url, place) : operator_token{};
}

std::string refused_token_text(const std::string& at, const operator_token& shown) {
  if (!shown.found_in.empty())
    return at + " does not take the token in " + escaped(shown.found_in) +
           ": it may be left over from another gateway; name the right file with --admin-token-file";
  if (!shown.text.empty())
    return at + " does not take this token: name the file of its own with --admin-token-file";
  const auto how = at + " wants a token: name its file with --admin-token-file, or set " + token_variable;
  return shown.looked_for.empty() ? how
                                  : how + ", or run this as the gateway's user; its log names the file (looked for " +
                                        joined(shown.looked_for) + ")";
}

operator_client::operator_client(const operator_options& options)
    : place_{*read_admin_endpoint(options.admin)}, token_{token_for(options, place_)}, node_{options.node} {
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
