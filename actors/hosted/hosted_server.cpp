#include "actors/troupe/server.hpp"

#include "actors/hosted/shared_offer.hpp"
#include "protocol/hosted/hosted_result.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using protocol::list_kind;

void add(json::object& to, std::string_view member, const std::string& text) {
  if (!text.empty())
    to[member] = text;
}

void add(json::object& to, std::string_view member, const json::object& object) {
  if (!object.empty())
    to[member] = object;
}

json::object shown(const tool_info& what) {
  json::object result{{"name", what.name}};
  add(result, "title", what.title);
  add(result, "description", what.description);
  result["inputSchema"] = what.input_schema;
  add(result, "outputSchema", what.output_schema);
  add(result, "annotations", what.annotations);
  return result;
}

/// Returns the members that resources and templates have in common.
template <class Info>
json::object shown_resource(std::string_view key, const std::string& uri, const Info& what) {
  json::object result{{key, uri}, {"name", what.name.empty() ? uri : what.name}};
  add(result, "title", what.title);
  add(result, "description", what.description);
  add(result, "mimeType", what.mime_type);
  return result;
}

json::object shown(const prompt_argument& what) {
  json::object result{{"name", what.name}, {"required", what.required}};
  add(result, "description", what.description);
  return result;
}

json::object shown(const prompt_info& what) {
  json::object result{{"name", what.name}};
  add(result, "title", what.title);
  add(result, "description", what.description);
  json::array arguments;
  for (auto& one : what.arguments)
    arguments.push_back(shown(one));
  if (!arguments.empty())
    result["arguments"] = std::move(arguments);
  return result;
}

/// Keeps an empty handler empty, so that it is refused.
call_handler slowly(quick_handler handler) {
  if (!handler)
    return {};
  return [handler = std::move(handler)](const call& one) { one.answer(handler(one.arguments())); };
}

std::string string_in(const json::object& params, std::string_view part, std::string_view member) {
  auto* object = params.if_contains(part);
  auto* value = object && object->is_object() ? object->get_object().if_contains(member) : nullptr;
  return value && value->is_string() ? std::string{value->get_string()} : std::string{};
}

completion read_completion(const json::object& params) {
  completion result{string_in(params, "ref", "name"),
                    string_in(params, "argument", "name"),
                    string_in(params, "argument", "value"),
                    {}};
  if (result.of.empty())
    result.of = string_in(params, "ref", "uri");
  auto* known = params.if_contains("context");
  auto* arguments = known && known->is_object() ? known->get_object().if_contains("arguments") : nullptr;
  if (arguments && arguments->is_object())
    result.known = arguments->get_object();
  return result;
}

protocol::hosted_offer empty_offer(server_info info) {
  protocol::hosted_offer result;
  result.info = {{"name", info.name}, {"version", info.version}};
  add(result.info, "title", info.title);
  result.instructions = std::move(info.instructions);
  auto said = json::serialize(json::array{result.info, result.instructions});
  if (auto why = protocol::json_error(said))
    throw std::invalid_argument{"what a server says of itself must be valid JSON: " + *why};
  return result;
}

} // namespace

server::server(server_info info) : offer_{std::make_shared<actors::shared_offer>(empty_offer(std::move(info)))} {}

server::~server() = default;

void server::tool(const tool_info& what, quick_handler handler) { tool(what, slowly(std::move(handler))); }

void server::tool(const tool_info& what, call_handler handler) {
  offer_->put(list_kind::tools, shown(what), std::move(handler));
}

void server::resource(const resource_info& what, resource_handler handler) {
  if (!handler)
    return resource(what, call_handler{});
  resource(what, [handler = std::move(handler)](const call& one) { one.answer(handler(one.name())); });
}

void server::resource(const resource_info& what, call_handler handler) {
  offer_->put(list_kind::resources, shown_resource("uri", what.uri, what), std::move(handler));
}

void server::resource_template(const resource_template_info& what, quick_handler handler) {
  resource_template(what, slowly(std::move(handler)));
}

void server::resource_template(const resource_template_info& what, call_handler handler) {
  offer_->put(list_kind::templates, shown_resource("uriTemplate", what.uri_template, what), std::move(handler));
}

void server::prompt(const prompt_info& what, quick_handler handler) { prompt(what, slowly(std::move(handler))); }

void server::prompt(const prompt_info& what, call_handler handler) {
  offer_->put(list_kind::prompts, shown(what), std::move(handler));
}

void server::completions(completion_handler handler) {
  if (!handler)
    return offer_->complete_by({});
  offer_->complete_by([handler = std::move(handler)](const call& one) {
    one.answer_result(protocol::completion_result(handler(read_completion(one.arguments()))));
  });
}

bool server::remove_tool(std::string_view name) { return offer_->remove(list_kind::tools, name); }

bool server::remove_resource(std::string_view uri) { return offer_->remove(list_kind::resources, uri); }

bool server::remove_resource_template(std::string_view uri_template) {
  return offer_->remove(list_kind::templates, uri_template);
}

bool server::remove_prompt(std::string_view name) { return offer_->remove(list_kind::prompts, name); }

void server::updated(std::string_view uri) {
  auto said = protocol::read_message(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":)" +
                                     protocol::quoted(uri) + "}}");
  if (!std::holds_alternative<protocol::message>(said))
    throw std::invalid_argument{"a URI must be valid UTF-8"};
  offer_->notify_listeners(std::get<protocol::message>(said));
}

namespace actors {

std::shared_ptr<shared_offer> offer_of(const troupe::server& of) { return of.offer_; }

} // namespace actors

} // namespace troupe
