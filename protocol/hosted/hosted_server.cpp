#include "protocol/hosted/hosted_server.hpp"

#include "protocol/hosted/hosted_result.hpp"
#include "protocol/message/subscribed_uris.hpp"
#include "protocol/text/json_value.hpp"
#include "protocol/text/number.hpp"

#include <initializer_list>
#include <utility>

namespace troupe::protocol {

namespace json = boost::json;

namespace {

/// Returns a param that is an object, empty when missing; nullopt when it has another type.
std::optional<json::object> object_param(const message& from, std::string_view name) {
  auto token = find_member(from.text, {"params", name});
  if (!token)
    return json::object{};
  if (token->front() != '{')
    return std::nullopt;
  return std::move(json_value(*token).as_object());
}

std::optional<double> number_param(const message& from, std::string_view name) {
  auto token = find_member(from.text, {"params", name});
  auto value = token ? json_value(*token) : json::value{};
  return value.is_number() ? std::optional{value.to_number<double>()} : std::nullopt;
}

bool is_string(const message& from, std::initializer_list<std::string_view> path) {
  auto token = find_member(from.text, path);
  return token && token->front() == '"';
}

std::string ref_of(const message& completion, std::string_view member) {
  return string_member(completion.text, {"params", "ref", member});
}

/// Whether the prompt or resource to complete for is offered (2025-11-25, completion, "Error Handling").
bool is_completable(const message& from, const hosted_offer& offer) {
  auto type = ref_of(from, "type");
  if (type == "ref/prompt")
    return offer.list(list_kind::prompts).find(ref_of(from, "name")) != nullptr;
  auto uri = ref_of(from, "uri");
  return type == "ref/resource" && (offer.list(list_kind::templates).find(uri) || find_resource(offer, uri));
}

void answer(const message& to, const json::object& result, hosted_effects& out) {
  out.push_back(send_client{result_message(to.id, result)});
}

void refuse(const message& to, int code, const std::string& why, hosted_effects& out) {
  out.push_back(send_client{error_message(to.id, code, why)});
}

void refuse_params(const message& to, const std::string& why, hosted_effects& out) {
  refuse(to, error_code::invalid_params, why, out);
}

std::optional<std::string> tool_problem(const hosted_item& tool, const json::object& arguments) {
  auto* schema = tool.shown.if_contains("inputSchema");
  return schema && schema->is_object() ? schema_problem(arguments, schema->get_object(), "arguments") : std::nullopt;
}

/// Checks a prompt's arguments, which must be strings (2025-11-25, schema, "GetPromptRequestParams").
std::optional<std::string> prompt_problem(const hosted_item& prompt, const json::object& arguments) {
  for (auto& [name, value] : arguments)
    if (!value.is_string())
      return "The argument " + std::string{name} + " must be a string";
  auto* known = prompt.shown.if_contains("arguments");
  if (!known || !known->is_array())
    return std::nullopt;
  for (auto& one : known->get_array()) {
    auto& rules = one.as_object();
    auto* required = rules.if_contains("required");
    if (required && *required == true && !arguments.contains(rules.at("name").as_string()))
      return "The argument " + std::string{rules.at("name").as_string()} + " is missing";
  }
  return std::nullopt;
}

} // namespace

hosted_effects hosted_server::client_sent(const message& from, const hosted_offer& offer) {
  hosted_effects out;
  switch (from.kind) {
  case message_kind::request:
    receive_request(from, offer, out);
    break;
  case message_kind::notification:
    receive_notification(from, out);
    break;
  case message_kind::response:
    receive_response(from, out);
  }
  return out;
}

// -- requests ---------------------------------------------------------------------------------------

const std::map<std::string, hosted_server::method, std::less<>>& hosted_server::methods() {
  static const std::map<std::string, method, std::less<>> all{{"initialize", &hosted_server::initialize},
                                                              {"ping", &hosted_server::ping},
                                                              {"tools/list", &hosted_server::list},
                                                              {"tools/call", &hosted_server::call_tool},
                                                              {"prompts/list", &hosted_server::list},
                                                              {"prompts/get", &hosted_server::get_prompt},
                                                              {"resources/list", &hosted_server::list},
                                                              {"resources/templates/list", &hosted_server::list},
                                                              {"resources/read", &hosted_server::read_resource},
                                                              {"resources/subscribe", &hosted_server::subscribe},
                                                              {"resources/unsubscribe", &hosted_server::unsubscribe},
                                                              {"logging/setLevel", &hosted_server::set_level},
                                                              {"completion/complete", &hosted_server::complete}};
  return all;
}

void hosted_server::receive_request(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto found = methods().find(from.method);
  if (found == methods().end())
    return refuse(from, error_code::method_not_found, "Method not found: " + from.method, out);
  if (calls_.own_id_of(0, from.id))
    return refuse(from, error_code::invalid_request, "A request with this id is in flight", out);
  (this->*found->second)(from, offer, out);
}

void hosted_server::initialize(const message& from, const hosted_offer& offer, hosted_effects& out) {
  answer(from, initialize_result(from, offer), out);
}

void hosted_server::ping(const message& from, const hosted_offer&, hosted_effects& out) { answer(from, {}, out); }

/// A cursor is the number of the previous page's last item, so that items may be added and removed between pages.
void hosted_server::list(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto cursor = find_member(from.text, {"params", "cursor"});
  auto after = cursor ? read_number(string_value(*cursor).value_or("")) : 0;
  if (!after)
    return refuse_params(from, "Unknown cursor", out);
  auto kind = *list_asked_by(from.method);
  auto page = offer.list(kind).page(*after);
  auto next = page.last ? R"(,"nextCursor":")" + std::to_string(*page.last) + "\"" : "";
  out.push_back(
      send_client{checked_answer(from.id, R"({"jsonrpc":"2.0","id":)" + from.id + R"(,"result":{)" +
                                              quoted(items_member(kind)) + ":[" + page.items + "]" + next + "}}")});
}

/// Reports arguments that do not fit the schema as a result with `isError`, so that the model can correct them
/// (2025-11-25, tools, "Error Handling").
void hosted_server::call_tool(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto name = name_param(from);
  auto* tool = offer.list(list_kind::tools).find(name);
  if (!tool)
    return refuse_params(from, "Unknown tool: " + name, out);
  auto arguments = object_param(from, "arguments");
  if (!arguments)
    return refuse_params(from, "The arguments must be an object", out);
  if (auto why = tool_problem(*tool, *arguments))
    return answer(from, tool_result({json::object{{"type", "text"}, {"text", *why}}}, true), out);
  start(from, tool->number,
        {.is = hosted_call::kind::tool, .name = std::move(name), .arguments = std::move(*arguments)}, out);
}

void hosted_server::get_prompt(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto name = name_param(from);
  auto* prompt = offer.list(list_kind::prompts).find(name);
  if (!prompt)
    return refuse_params(from, "Unknown prompt: " + name, out);
  auto arguments = object_param(from, "arguments");
  if (!arguments)
    return refuse_params(from, "The arguments must be an object", out);
  if (auto why = prompt_problem(*prompt, *arguments))
    return refuse_params(from, *why, out);
  start(from, prompt->number,
        {.is = hosted_call::kind::prompt,
         .name = std::move(name),
         .arguments = std::move(*arguments),
         .about = std::string{prompt->string_at("description")}},
        out);
}

void hosted_server::read_resource(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto uri = string_param(from, "uri");
  auto found = find_resource(offer, uri);
  if (!found)
    return refuse(from, error_code::resource_not_found, "Resource not found: " + uri, out);
  start(from, found->item->number,
        {.is = hosted_call::kind::resource,
         .name = std::move(uri),
         .arguments = std::move(found->variables),
         .about = std::string{found->item->string_at("mimeType")}},
        out);
}

void hosted_server::subscribe(const message& from, const hosted_offer& offer, hosted_effects& out) {
  auto uri = string_param(from, "uri");
  if (!find_resource(offer, uri))
    return refuse(from, error_code::resource_not_found, "Resource not found: " + uri, out);
  if (uri.size() > longest_subscribed_uri)
    return refuse_params(from, "The URI is too long to be subscribed to", out);
  if (subscriptions_.size() >= hosted_subscriptions && !subscriptions_.contains(uri))
    return refuse(from, error_code::internal_error, std::string{too_many_subscriptions}, out);
  subscriptions_.insert(std::move(uri));
  answer(from, {}, out);
}

void hosted_server::unsubscribe(const message& from, const hosted_offer&, hosted_effects& out) {
  subscriptions_.erase(string_param(from, "uri"));
  answer(from, {}, out);
}

void hosted_server::set_level(const message& from, const hosted_offer&, hosted_effects& out) {
  auto level = read_severity(string_param(from, "level"));
  if (!level)
    return refuse_params(from, "Unknown log level", out);
  level_ = level;
  answer(from, {}, out);
}

void hosted_server::complete(const message& from, const hosted_offer& offer, hosted_effects& out) {
  if (!offer.completes)
    return refuse(from, error_code::method_not_found, "Method not found: " + from.method, out);
  auto params = find_member(from.text, {"params"});
  if (!is_string(from, {"params", "argument", "name"}) || !is_string(from, {"params", "argument", "value"}))
    return refuse_params(from, "A completion has an argument with a name and a value", out);
  if (!is_completable(from, offer))
    return refuse_params(from, "A completion has a ref to a prompt or a resource template", out);
  start(from, 0, {.is = hosted_call::kind::completion, .arguments = std::move(json_value(*params).as_object())}, out);
}

void hosted_server::start(const message& from, std::uint64_t item, hosted_call what, hosted_effects& out) {
  what.item = item;
  what.id = from.id;
  what.token = from.reference;
  out.push_back(start_call{calls_.add({from.id}), std::move(what)});
}

// -- notifications and responses of a client --------------------------------------------------------

void hosted_server::receive_notification(const message& from, hosted_effects& out) {
  if (from.is_method("notifications/initialized"))
    initialized_ = true;
  if (!is_cancellation(from))
    return;
  auto call = calls_.own_id_of(0, from.reference);
  if (!call)
    return;
  end(*call, out);
  out.push_back(cancel_call{*call});
}

void hosted_server::receive_response(const message& from, hosted_effects& out) {
  if (auto asked = questions_.extract(from.id))
    out.push_back(pass_reply{asked->asker, relayed(from, asked->id, {})});
}

// -- messages of handlers and of the server ---------------------------------------------------------

hosted_effects hosted_server::call_said(hosted_call_id call, message what) {
  hosted_effects out;
  auto found = calls_.find(call);
  if (!found || !may_be_sent(*found, what))
    return out;
  if (is_request(what)) {
    const auto own = questions_.add({.asker = call, .id = what.id});
    replace_ids(what, std::to_string(own), {});
  }
  if (what.kind == message_kind::response)
    end(call, out);
  out.push_back(send_client{std::move(what)});
  return out;
}

/// Drops progress that does not increase (2025-11-25, progress, "Progress Flow").
bool hosted_server::may_be_sent(call_under_way& in, const message& what) const {
  if (what.is_method("notifications/message"))
    return is_loud_enough(what);
  if (!is_progress(what))
    return true;
  auto done = number_param(what, "progress");
  if (!done || (in.progress && *done <= *in.progress))
    return false;
  in.progress = done;
  return true;
}

bool hosted_server::is_loud_enough(const message& what) const {
  auto level = read_severity(string_param(what, "level"));
  return level && (!level_ || *level >= *level_);
}

/// Removes a finished call, and cancels its requests to the client.
void hosted_server::end(hosted_call_id call, hosted_effects& out) {
  calls_.extract(call);
  for (auto own : questions_.of(call)) {
    questions_.extract(own);
    out.push_back(send_client{cancellation_of(own, "the call is over")});
  }
}

hosted_effects hosted_server::receive_from_server(message what) const {
  hosted_effects out;
  auto updated = what.is_method("notifications/resources/updated");
  if (updated ? subscriptions_.contains(string_param(what, "uri")) : initialized_)
    out.push_back(send_client{std::move(what)});
  return out;
}

} // namespace troupe::protocol
