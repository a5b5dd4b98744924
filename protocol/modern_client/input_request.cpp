#include "protocol/modern_client/input_request.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view elicitation = "elicitation/create";
constexpr std::string_view sampling = "sampling/createMessage";
constexpr std::string_view roots = "roots/list";

/// The user rejected the request (2025-11-25, sampling, "Error Handling").
constexpr int user_rejected = -1;

} // namespace

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

void refuse_question(std::string_view id, int code, std::string_view why, stateless_effects& out) {
  out.push_back(ask_server{own_message(error_text(id, code, why))});
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
  if (!all.starts_with('['))
    return result;
  for (array_reader each{all}; each.next();) {
    if (!each.value().starts_with('{') || string_member(each.value(), {"mode"}) != "url")
      return {};
    result.emplace_back(each.value());
  }
  return result;
}

} // namespace troupe::protocol
