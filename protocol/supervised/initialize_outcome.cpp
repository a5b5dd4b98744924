#include "protocol/supervised/initialize_outcome.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/modern_server/client_envelope.hpp"

namespace troupe::protocol {

namespace {

/// A stateless (2026-07-28) server is translated for each user, into any version with sessions that the user requests.
std::string version_spoken_with(const initialize_outcome& greeting, const message& initialize) {
  if (greeting.takes_modern)
    return client_envelope{initialize}.session_version();
  auto asked = string_param(initialize, "protocolVersion");
  return is_session_version(asked) && asked < greeting.version ? asked : greeting.version;
}

} // namespace

std::variant<initialize_outcome, initialize_failure> read_initialize_outcome(const message& answer) {
  if (auto error = find_member(answer.text, {"error", "message"}))
    return initialize_failure{std::string{refused_to_initialize} + ": " + string_value(*error).value_or("")};
  auto result = find_member(answer.text, {"result"});
  if (!result)
    return initialize_failure{std::string{refused_to_initialize}};
  auto version = string_member(*result, {"protocolVersion"});
  if (!is_session_version(version))
    return initialize_failure{"it answered initialize with a protocol version that is not known"};
  auto has = [&](std::string_view group) { return find_member(*result, {"capabilities", group}).has_value(); };
  return initialize_outcome{std::string{*result}, version,          has("tools"),
                            has("prompts"),       has("resources"), answer.claims_modern};
}

void initialize_outcome::leave_out_tasks() {
  if (auto capabilities = find_member(result, {"capabilities"}); capabilities && capabilities->front() == '{')
    result = spliced(result, {replacing(result, *capabilities, without_member(*capabilities, "tasks"))});
}

message initialize_outcome::answer_to(const message& initialize) const {
  auto text = result;
  if (auto spoken = version_spoken_with(*this, initialize); spoken != version)
    text = spliced(text, {replacing(text, *find_member(text, {"protocolVersion"}), quoted(spoken))});
  auto answer = gateway_message(R"({"jsonrpc":"2.0","id":)" + initialize.id + R"(,"result":)" + text + "}");
  answer.claims_modern = takes_modern;
  return answer;
}

std::string initialize_text(std::string_view id, std::string_view gateway_version) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"method":"initialize","params":{"protocolVersion":")" +
         std::string{newest_session_version} +
         R"(","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}}},)" +
         R"("clientInfo":{"name":"troupe","version":)" + quoted(gateway_version) + "}}}";
}

} // namespace troupe::protocol
