#include "protocol/modern_client/legacy_messages.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_of_envelope(std::string_view key, std::string_view) {
  static constexpr std::array keys{meta_key::version,   meta_key::client_info,     meta_key::capabilities,
                                   meta_key::log_level, meta_key::subscription_id, meta_key::server_info};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool is_only_envelope(std::string_view meta) {
  for (object_reader members{meta}; members.next();)
    if (!is_of_envelope(members.key(), {}))
      return false;
  return true;
}

bool is_of_stateless(std::string_view key) { return key == "inputResponses" || key == "requestState" || key == "task"; }

/// Adds the edits that cut the envelope from a param. Returns true if the whole param goes, such as a `_meta` without
/// other members.
bool cut_param(std::string_view text, std::string_view key, std::string_view value, std::vector<edit>& edits) {
  if (key != "_meta" || !value.starts_with('{'))
    return is_of_stateless(key);
  auto goes = is_only_envelope(value);
  if (!goes)
    cut_members(text, value, is_of_envelope, edits);
  return goes;
}

/// Params that describe the client and its answers, not the call itself.
constexpr std::array<std::string_view, 3> beside_call{"_meta", "inputResponses", "requestState"};

boost::json::object call_of(std::string_view params) {
  auto result = json_value(params).as_object();
  for (auto key : beside_call)
    result.erase(key);
  return result;
}

/// Moves to the next param of the call itself.
bool next_of_call(object_reader& params) {
  while (params.next())
    if (std::ranges::find(beside_call, params.key()) == beside_call.end())
      return true;
  return false;
}

/// True if the calls are equal byte for byte; most clients write a retry like the first call.
bool are_written_alike(std::string_view params, std::string_view others) {
  object_reader one{params}, other{others};
  while (next_of_call(one))
    if (!next_of_call(other) || one.key() != other.key() || one.value() != other.value())
      return false;
  return !next_of_call(other);
}

constexpr std::string_view elicitation = "elicitation/create";
constexpr std::string_view sampling = "sampling/createMessage";
constexpr std::string_view roots = "roots/list";

/// Error code: the user rejected the request (2025-11-25, sampling, "Error Handling").
constexpr int user_rejected = -1;

} // namespace

message legacy_request(message request, std::string_view id) {
  request.claims_modern = false;
  std::vector<edit> edits;
  if (auto params = member_start(request.text, {"params"}))
    cut_members(
        request.text, *params, [&](auto key, auto value) { return cut_param(request.text, key, value, edits); }, edits);
  return relayed(spliced(std::move(request), std::move(edits)), id, id);
}

message as_task(message tools_call) {
  auto params = params_of(tools_call);
  auto has_others = object_reader{params}.next();
  auto task = adding(tools_call.text, params, has_others, R"("task":{})");
  return spliced(std::move(tools_call), {std::move(task)});
}

bool is_of_sessions(std::string_view method) { return method.starts_with("tasks/") || find_removed_method(method); }

std::string_view params_of(const message& request) { return find_member(request.text, {"params"}).value_or("{}"); }

bool are_same_call(std::string_view params, std::string_view others) {
  return are_written_alike(params, others) || call_of(params) == call_of(others);
}

bool is_question(std::string_view method) { return method == elicitation || method == sampling || method == roots; }

std::string fault_in_question(const message& question) {
  if (question.method != elicitation)
    return {};
  auto begins = [&](std::string_view name, char c) {
    auto value = member_start(question.text, {"params", name});
    return value && value->starts_with(c);
  };
  if (!begins("message", '"'))
    return "params.message must be a string: what the user is asked";
  auto mode = member_start(question.text, {"params", "mode"}) ? string_param(question, "mode") : "form";
  if (mode == "form")
    return begins("requestedSchema", '{') ? "" : "params.requestedSchema must be an object: the schema of the form";
  if (mode == "url")
    return begins("url", '"') ? "" : "params.url must be a string: what the user is to open";
  return R"(params.mode must be "form" or "url")";
}

void reject_server_request(std::string_view id, int code, std::string_view why, stateless_effects& out) {
  out.push_back(forward_to_server{gateway_message(error_text(id, code, why))});
}

std::string input_request(std::string_view method, std::string_view params) {
  auto text = R"({"method":)" + quoted(method);
  if (params.empty())
    return text + "}";
  std::vector<edit> edits;
  auto goes = [](auto key, auto) { return key == "_meta" || key == "task" || key == "elicitationId"; };
  cut_members(params, params, goes, edits);
  return text + R"(,"params":)" + spliced(params, std::move(edits)) + "}";
}

int code_of_lack(std::string_view method) {
  return method == elicitation ? error_code::invalid_params : error_code::method_not_found;
}

bool is_input_response(std::string_view method, std::string_view value) {
  if (!value.starts_with('{'))
    return false;
  if (method == elicitation) {
    auto action = string_member(value, {"action"});
    return action == "accept" || action == "decline" || action == "cancel";
  }
  auto must = find_member(value, {method == roots ? "roots" : "content"}).value_or("null");
  return method == roots ? must.starts_with('[') : must.starts_with('{') || must.starts_with('[');
}

bool accepts(std::string_view response) { return string_member(response, {"action"}) == "accept"; }

std::string given_up_answer(std::string_view id, std::string_view method) {
  if (method == elicitation)
    return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{"action":"cancel"}})";
  if (method == sampling)
    return error_text(id, user_rejected, "The client did not answer in time");
  return error_text(id, error_code::internal_error, "The client did not answer in time");
}

std::vector<std::string> required_elicitations(const message& answer) {
  auto all = find_member(answer.text, {"error", "data", "elicitations"}).value_or("");
  std::vector<std::string> result;
  for (array_reader each{all}; each.next();) {
    if (string_member(each.value(), {"mode"}) != "url")
      return {};
    result.emplace_back(each.value());
  }
  return result;
}

} // namespace troupe::protocol
