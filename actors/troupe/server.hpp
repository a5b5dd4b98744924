#pragma once

#include "answer.hpp"
#include "call.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

class server;

namespace actors {
class shared_offer;
std::shared_ptr<shared_offer> offer_of(const troupe::server& of);
} // namespace actors

/// Description that a server sends when a session begins.
struct server_info {
  /// Name of the server; also at a gateway, unless `server_options::name` gives another.
  std::string name;
  std::string version = "1.0.0";
  /// Display name, for people.
  std::string title = {};
  /// Instructions for models on using the server.
  std::string instructions = {};
};

/// A tool, which models call. Here and below, empty members are not sent to clients.
struct tool_info {
  /// Must not be empty. Replaces a tool of the same name.
  std::string name;
  /// Display name, for people.
  std::string title = {};
  /// Description, for models.
  std::string description = {};
  /// JSON schemas, of type `object`. Arguments are checked against `type`, `enum`, `required`, `properties` and `items`
  /// before the tool is called.
  json::object input_schema = {{"type", "object"}};
  json::object output_schema = {};
  /// Hints, such as `{"readOnlyHint": true}`.
  json::object annotations = {};
};

/// A resource, which clients read.
struct resource_info {
  /// Must not be empty. Replaces a resource of the same URI.
  std::string uri;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

/// Resources whose URIs follow a template such as `notes://{id}/text`; `{+path}` also matches slashes.
struct resource_template_info {
  /// Must not be empty. Replaces a template of the same text.
  std::string uri_template;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

/// An argument of a prompt; its value is a string.
struct prompt_argument {
  std::string name;
  std::string description = {};
  /// If true, a call without the argument is refused before a handler sees it.
  bool required = false;
};

/// A prompt, which clients offer to their users.
struct prompt_info {
  /// Must not be empty. Replaces a prompt of the same name.
  std::string name;
  std::string title = {};
  std::string description = {};
  std::vector<prompt_argument> arguments = {};
};

/// Request to complete an argument that a client's user is typing.
struct completion {
  /// Name of the prompt, or URI of the template, that has the argument.
  std::string of;
  std::string argument;
  /// Text typed so far.
  std::string value;
  /// Values of the arguments that are already known.
  json::object known;
};

/// Returns the answer. An exception becomes a failure with its text; see also `refusal`.
using quick_handler = std::function<answer(const json::object& arguments)>;
/// Answers now or later, through the call. Must return nothing: a result would be lost.
using call_handler = callback<call>;
/// Returns the contents of the resource.
using resource_handler = std::function<answer(const std::string& uri)>;
/// Returns possible values of the argument; the first 100 are sent.
using completion_handler = std::function<std::vector<std::string>(const completion& asked)>;

/// An MCP server inside the host's program, passed to a gateway as `hosted(server)`. Several gateways may share it.
///
/// Additions and removals while the server is served are announced to its clients. An item replaces one of the same
/// name or URI. Handlers run on a few threads of the gateway (`gateway_options::handler_threads`), several at a time,
/// and may block them. Up to `gateway_options::handler_queue` calls wait for a thread. Every function is callable from
/// any thread, also in a handler.
///
/// Functions throw `std::invalid_argument` for input that cannot be sent to clients: a text that is not UTF-8, a schema
/// that is not of type object, an empty name or handler.
class server {
public:
  /// Makes a server that offers nothing yet.
  explicit server(server_info info);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  void tool(const tool_info& what, quick_handler handler);
  void tool(const tool_info& what, call_handler handler);
  void resource(const resource_info& what, resource_handler handler);
  void resource(const resource_info& what, call_handler handler);
  void resource_template(const resource_template_info& what, quick_handler handler);
  void resource_template(const resource_template_info& what, call_handler handler);
  void prompt(const prompt_info& what, quick_handler handler);
  void prompt(const prompt_info& what, call_handler handler);
  /// Sets the handler that completes arguments of prompts and templates.
  void completions(completion_handler handler);

  /// Removes an item; calls under way continue. Returns whether the item existed.
  bool remove_tool(std::string_view name);
  bool remove_resource(std::string_view uri);
  bool remove_resource_template(std::string_view uri_template);
  bool remove_prompt(std::string_view name);

  /// Notifies the clients that subscribed to a resource of a change.
  void updated(std::string_view uri);

private:
  friend std::shared_ptr<actors::shared_offer> actors::offer_of(const troupe::server& of);

  std::shared_ptr<actors::shared_offer> offer_;
};

} // namespace troupe
