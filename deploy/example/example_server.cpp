#include "deploy/example/example_server.hpp"

#include "deploy/example/example_tools.hpp"
#include "protocol/text/line_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <iostream>
#include <map>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

void write(const json::object& message) {
  std::cout << json::serialize(message) << std::endl; // flushed, because the client waits
}

constexpr std::size_t longest_line = 16 * 1024 * 1024;
constexpr auto greeting_uri = "example://greeting";

// Oldest first. A client that requests another revision is offered the newest.
constexpr std::array<std::string_view, 4> revisions{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

/// True if the client can show a form. A bare `elicitation: {}` means forms (2025-11-25, elicitation, "Capabilities").
bool can_show_form(const json::object& capabilities) {
  const auto* elicitation = capabilities.if_contains("elicitation");
  if (!elicitation || !elicitation->is_object())
    return false;
  return elicitation->get_object().empty() || elicitation->get_object().contains("form");
}

/// Handles the client's messages in order and answers them.
class example_server {
public:
  void receive(std::string_view line) {
    boost::system::error_code error;
    const auto message = json::parse(line, error);
    if (error)
      client_.refuse(nullptr, parse_error, "Parse error: " + error.message());
    else if (!message.is_object())
      client_.refuse(nullptr, invalid_request, "Invalid request: a message is an object");
    else
      receive(message.get_object());
  }

  std::optional<example_tools::time_point> next_tick() const { return tools_.next_tick(); }
  void tick(example_tools::time_point now) { tools_.tick(now); }

private:
  void receive(const json::object& message) {
    const auto* id = message.if_contains("id");
    const auto method = string_at(message, "method");
    if (method.empty() && id && (message.contains("result") || message.contains("error")))
      tools_.answered(message);
    else if (method.empty() || (id && !id->is_string() && !id->is_int64() && !id->is_uint64()))
      client_.refuse(nullptr, invalid_request, "Invalid request");
    else if (id)
      request({*id, method, object_at(message, "params")});
    else
      notification(method, object_at(message, "params"));
  }

  void request(const example_request& request) {
    static const std::map<std::string_view, void (example_server::*)(const example_request&)> methods = {
        {"initialize", &example_server::initialize},
        {"ping", &example_server::ping},
        {"tools/list", &example_server::list_tools},
        {"tools/call", &example_server::call_tool},
        {"resources/list", &example_server::list_resources},
        {"resources/templates/list", &example_server::list_resource_templates},
        {"resources/read", &example_server::read_resource},
        {"prompts/list", &example_server::list_prompts},
        {"prompts/get", &example_server::get_prompt}};
    const auto found = methods.find(request.method);
    if (found == methods.end())
      return client_.refuse(request.id, method_not_found, "Method not found: " + request.method);
    (this->*found->second)(request);
  }

  void notification(std::string_view method, const json::object& params) {
    if (const auto* id = params.if_contains("requestId"); id && method == "notifications/cancelled")
      tools_.cancel(*id);
  }

  // -- session lifecycle
  void initialize(const example_request& request) {
    const auto asked = string_at(request.params, "protocolVersion");
    const bool known = std::ranges::find(revisions, asked) != revisions.end();
    tools_.client_can_ask(can_show_form(object_at(request.params, "capabilities")));
    client_.answer(
        request.id,
        {{"protocolVersion", known ? std::string_view(asked) : revisions.back()},
         {"capabilities", {{"tools", json::object{}}, {"resources", json::object{}}, {"prompts", json::object{}}}},
         {"serverInfo", {{"name", "troupe-example"}, {"version", TROUPE_VERSION}}},
         {"instructions", "A server to try a client or a gateway with. Start with the tool echo."}});
  }

  void ping(const example_request& request) { client_.answer(request.id, {}); }

  // -- tools
  void list_tools(const example_request& request) { client_.answer(request.id, {{"tools", example_tools::list()}}); }

  void call_tool(const example_request& request) {
    const auto name = string_at(request.params, "name");
    example_call call{request.id, object_at(request.params, "arguments"), std::nullopt};
    if (const auto meta = object_at(request.params, "_meta"); meta.contains("progressToken"))
      call.progress_token = meta.at("progressToken");
    if (!tools_.start(name, call))
      client_.refuse(request.id, invalid_params, "Unknown tool: " + name);
  }

  // -- the resource
  void list_resources(const example_request& request) {
    client_.answer(request.id, {{"resources", json::array{json::object{{"uri", greeting_uri},
                                                                       {"name", "greeting"},
                                                                       {"description", "A friendly word"},
                                                                       {"mimeType", "text/plain"}}}}});
  }

  void list_resource_templates(const example_request& request) {
    client_.answer(request.id, {{"resourceTemplates", json::array{}}});
  }

  void read_resource(const example_request& request) {
    const auto uri = string_at(request.params, "uri");
    if (uri != greeting_uri)
      return client_.refuse(request.id, resource_not_found, "Resource not found: " + uri);
    client_.answer(request.id, {{"contents", json::array{json::object{{"uri", greeting_uri},
                                                                      {"mimeType", "text/plain"},
                                                                      {"text", "Hello from behind the gateway."}}}}});
  }

  // -- the prompt
  void list_prompts(const example_request& request) {
    json::object name{{"name", "name"}, {"description", "Whom to greet"}, {"required", true}};
    client_.answer(request.id, {{"prompts", json::array{json::object{{"name", "greet"},
                                                                     {"description", "Asks for a greeting"},
                                                                     {"arguments", json::array{std::move(name)}}}}}});
  }

  void get_prompt(const example_request& request) {
    const auto prompt = string_at(request.params, "name");
    const auto name = string_at(object_at(request.params, "arguments"), "name");
    if (prompt != "greet")
      return client_.refuse(request.id, invalid_params, "Unknown prompt: " + prompt);
    if (name.empty())
      return client_.refuse(request.id, invalid_params, "The argument name is missing");
    json::object text{{"type", "text"}, {"text", "Please greet " + name + " warmly, in one sentence."}};
    client_.answer(request.id,
                   {{"description", "Asks for a greeting"},
                    {"messages", json::array{json::object{{"role", "user"}, {"content", std::move(text)}}}}});
  }

  example_client client_;
  example_tools tools_{client_};
};

// -- input ---------------------------------------------------------------------------

/// Returns the milliseconds to wait for input; -1, for ever, when nothing is due.
int patience(std::optional<example_tools::time_point> due) {
  if (!due)
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, INT_MAX));
}

bool has_input(int timeout) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, timeout) > 0;
}

/// Reads available bytes of stdin; empty at its end.
std::string_view read_some() {
  static std::array<char, 64 * 1024> bytes;
  const auto size = read(STDIN_FILENO, bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

} // namespace

void example_client::answer(const json::value& id, json::object result) {
  write({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void example_client::refuse(const json::value& id, int code, std::string_view text) {
  write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
}

void example_client::notify(std::string_view method, json::object params) {
  write({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::int64_t example_client::request(std::string_view method, json::object params) {
  write({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}});
  return last_id_;
}

json::object object_at(const json::object& from, std::string_view key) {
  const auto* member = from.if_contains(key);
  return member && member->is_object() ? member->get_object() : json::object{};
}

std::string string_at(const json::object& from, std::string_view key) {
  const auto* member = from.if_contains(key);
  return member && member->is_string() ? std::string{member->get_string()} : std::string{};
}

int run_example_server() {
  example_server server;
  protocol::line_reader lines{longest_line};
  for (;;) {
    if (has_input(patience(server.next_tick()))) {
      const auto bytes = read_some();
      if (bytes.empty() || lines.overflowed())
        return 0;
      for (const auto& line : lines.feed(bytes))
        server.receive(line);
    }
    server.tick(std::chrono::steady_clock::now());
  }
}

} // namespace troupe::deploy
