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

/// What a server says of itself when a session begins.
struct server_info {
  /// Also its name at a gateway, unless `server_options::name` gives another.
  std::string name;
  std::string version = "1.0.0";
  /// For people.
  std::string title = {};
  /// How to use the server, for models.
  std::string instructions = {};
};

/// A tool, which models call. Here and below, members that are empty are not told.
struct tool_info {
  /// Not empty; a tool of the same name is replaced.
  std::string name;
  /// For people.
  std::string title = {};
  /// For models.
  std::string description = {};
  /// JSON schemas, of type `object`. Arguments are checked by `type`, `enum`, `required`, `properties` and `items`
  /// before the tool is called.
  json::object input_schema = {{"type", "object"}};
  json::object output_schema = {};
  /// Hints, such as `{"readOnlyHint": true}`.
  json::object annotations = {};
};

/// A resource, which clients read.
struct resource_info {
  /// Not empty; a resource of the same URI is replaced.
  std::string uri;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

/// Resources whose URIs follow a template such as `notes://{id}/text`; `{+path}` also matches slashes.
struct resource_template_info {
  /// Not empty; a template of the same text is replaced.
  std::string uri_template;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

/// An argument of a prompt, a text.
struct prompt_argument {
  std::string name;
  std::string description = {};
  /// A call without it is refused before a handler sees it.
  bool required = false;
};

/// A prompt, which clients offer to their users.
struct prompt_info {
  /// Not empty; a prompt of the same name is replaced.
  std::string name;
  std::string title = {};
  std::string description = {};
  std::vector<prompt_argument> arguments = {};
};

/// An argument that a client's user is typing.
struct completion {
  /// The prompt's name or the template's URI that it belongs to.
  std::string of;
  std::string argument;
  /// What was typed so far.
  std::string value;
  /// Arguments that are already known.
  json::object known;
};

/// Answers at once. An exception becomes a failure with its text; see also `refusal`.
using quick_handler = std::function<answer(const json::object& arguments)>;
/// Answers when it likes, through the call. What it returned would be lost, so it returns nothing.
using call_handler = callback<call>;
/// Answers at once with the contents of the resource.
using resource_handler = std::function<answer(const std::string& uri)>;
/// Answers at once with values that the argument could have; the first 100 are told.
using completion_handler = std::function<std::vector<std::string>(const completion& asked)>;

/// An MCP server that is part of the host's program, given to a gateway as `hosted(server)`; several gateways may have
/// the same.
///
/// What is added or removed while it is served is announced to its clients; what has the same name or URI is replaced.
/// Handlers run on a few threads of the gateway, `gateway_options::handler_threads`, several at a time, and may block
/// them; `gateway_options::handler_queue` calls may wait for one. Every function is callable from any thread, also in a
/// handler.
///
/// Throws `std::invalid_argument` where it is given what clients cannot be told: a text that is no UTF-8, a schema of
/// something else than an object, an empty name or handler.
class server {
public:
  /// Offers nothing yet.
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
  /// Completes arguments of prompts and templates.
  void completions(completion_handler handler);

  /// Calls of it that have begun go on. Whether there was such a one.
  bool remove_tool(std::string_view name);
  bool remove_resource(std::string_view uri);
  bool remove_resource_template(std::string_view uri_template);
  bool remove_prompt(std::string_view name);

  /// Tells the clients that subscribed to a resource that it has changed.
  void updated(std::string_view uri);

private:
  friend std::shared_ptr<actors::shared_offer> actors::offer_of(const troupe::server& of);

  std::shared_ptr<actors::shared_offer> offer_;
};

} // namespace troupe
