// The server of the conformance suite, as handlers in a host. Its interface is that of `troupe serve`: it ignores the
// flags, prints its URL to stderr, and shuts down on SIGTERM.

#include <troupe/gateway.hpp>
#include <troupe/server.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <thread>

namespace {

namespace json = troupe::json;
using troupe::call;
using troupe::text;

// The smallest valid files of each kind: a red pixel, and a WAV header without samples.
constexpr unsigned char pixel[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
                                   0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00,
                                   0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
                                   0xda, 0x63, 0xfc, 0xcf, 0xc0, 0xf0, 0x1f, 0x00, 0x05, 0x05, 0x02, 0x00, 0x5f, 0xc8,
                                   0xf1, 0xd2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
constexpr unsigned char silence[] = {0x52, 0x49, 0x46, 0x46, 0x24, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56,
                                     0x45, 0x66, 0x6d, 0x74, 0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00,
                                     0x01, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x01,
                                     0x00, 0x08, 0x00, 0x64, 0x61, 0x74, 0x61, 0x00, 0x00, 0x00, 0x00};

template <std::size_t Size>
std::string_view bytes(const unsigned char (&of)[Size]) {
  return {reinterpret_cast<const char*>(of), Size};
}

troupe::answer image() { return troupe::image(bytes(pixel), "image/png"); }

json::object parsed(std::string_view text) { return json::parse(text).as_object(); }

json::object one_string(std::string_view name) {
  return {{"type", "object"}, {"properties", {{name, {{"type", "string"}}}}}, {"required", json::array{name}}};
}

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds{50}); }

std::string string_of(const json::object& from, std::string_view name) {
  auto* value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->get_string()} : std::string{};
}

// -- tools --------------------------------------------------------------------------

constexpr auto schema_2020_12 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                        "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

void add_answering_tools(troupe::server& to) {
  auto answers = [&](const std::string& name, const troupe::answer& what) {
    to.tool({.name = name, .description = "Always answers the same"}, [what](const json::object&) { return what; });
  };
  answers("test_simple_text", text("This is a simple text response for testing."));
  answers("test_image_content", image());
  answers("test_audio_content", troupe::audio(bytes(silence), "audio/wav"));
  answers("test_embedded_resource",
          troupe::embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."));
  answers("test_multiple_content_types",
          text("Multiple content types test:") + image() +
              troupe::embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})"));
  to.tool({.name = "test_error_handling", .description = "Always fails"}, [](const json::object&) -> troupe::answer {
    throw std::runtime_error{"This tool intentionally returns an error for testing"};
  });
  to.tool({.name = "json_schema_2020_12_tool",
           .description = "Tool with JSON Schema 2020-12 features",
           .input_schema = parsed(schema_2020_12)},
          [](const json::object& arguments) { return text(json::serialize(arguments)); });
}

void add_notifying_tools(troupe::server& to) {
  to.tool({.name = "test_tool_with_progress", .description = "Reports progress three times"}, [](const call& one) {
    for (int done : {0, 50, 100}) {
      one.progress(done, 100, std::to_string(done) + " of 100");
      pause();
    }
    one.answer(text("Progress reported"));
  });
  to.tool({.name = "test_tool_with_logging", .description = "Logs three times"}, [](const call& one) {
    for (auto what : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
      one.log("info", what);
      pause();
    }
    one.answer(text("Logged"));
  });
  to.tool({.name = "test_reconnection", .description = "Answers after a while"}, [](const json::object&) {
    pause();
    return text("Reconnection test completed");
  });
}

// -- tools that ask -------------------------------------------------------------------

constexpr auto user_schema = R"({
  "type": "object",
  "properties": {"username": {"type": "string", "description": "User's response"},
                 "email": {"type": "string", "description": "User's email address"}},
  "required": ["username", "email"]
})";

constexpr auto defaults_schema = R"({"type": "object", "properties": {
  "name": {"type": "string", "default": "John Doe"},
  "age": {"type": "integer", "default": 30},
  "score": {"type": "number", "default": 95.5},
  "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
  "verified": {"type": "boolean", "default": true}
}})";

constexpr auto enums_schema = R"({"type": "object", "properties": {
  "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
  "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
                                               {"const": "value2", "title": "Second Option"},
                                               {"const": "value3", "title": "Third Option"}]},
  "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                 "enumNames": ["Option One", "Option Two", "Option Three"]},
  "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
  "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
                                                       {"const": "value2", "title": "Second Choice"},
                                                       {"const": "value3", "title": "Third Choice"}]}}
}})";

/// Answers with the input of the client's user.
void tell(const call& one, const std::string& before, const troupe::client_reply& reply) {
  if (!reply)
    return void(one.fail(reply.error));
  auto* content = reply.result.if_contains("content");
  one.answer(text(before + ": action=" + string_of(reply.result, "action") +
                  ", content=" + (content ? json::serialize(*content) : "{}")));
}

void add_asking_tools(troupe::server& to) {
  to.tool({.name = "test_sampling", .description = "Asks the client's model", .input_schema = one_string("prompt")},
          [](const call& one) {
            json::object words{{"type", "text"}, {"text", one.arguments().at("prompt")}};
            json::object asked{{"role", "user"}, {"content", std::move(words)}};
            auto reply =
                one.ask("sampling/createMessage", {{"messages", json::array{std::move(asked)}}, {"maxTokens", 100}});
            if (!reply)
              return void(one.fail(reply.error));
            one.answer(text("LLM response: " + string_of(reply.result.at("content").as_object(), "text")));
          });
  to.tool({.name = "test_elicitation", .description = "Asks the user", .input_schema = one_string("message")},
          [](const call& one) {
            one.elicit(string_of(one.arguments(), "message"), parsed(user_schema),
                       [one](auto& reply) { tell(one, "User response", reply); });
          });
  auto asks = [&](const std::string& name, std::string_view schema) {
    to.tool({.name = name, .description = "Asks the user"}, [schema](const call& one) {
      one.elicit("Please choose", parsed(schema), [one](auto& reply) { tell(one, "Elicitation completed", reply); });
    });
  };
  asks("test_elicitation_sep1034_defaults", defaults_schema);
  asks("test_elicitation_sep1330_enums", enums_schema);
}

// -- resources and prompts --------------------------------------------------------------

void add_resources(troupe::server& to) {
  to.resource({.uri = "test://static-text", .name = "Static text", .mime_type = "text/plain"},
              [](const std::string&) { return text("This is the content of the static text resource."); });
  to.resource({.uri = "test://static-binary", .name = "Static binary", .mime_type = "image/png"},
              [](const std::string&) { return image(); });
  to.resource({.uri = "test://watched-resource", .name = "Watched", .mime_type = "text/plain"},
              [](const std::string&) { return text("Watched"); });
  to.resource_template(
      {.uri_template = "test://template/{id}/data", .name = "Template", .mime_type = "application/json"},
      [](const json::object& variables) {
        auto id = string_of(variables, "id");
        return text(json::serialize(json::object{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}}));
      });
}

void add_prompts(troupe::server& to) {
  to.prompt({.name = "test_simple_prompt", .description = "A prompt without arguments"},
            [](const json::object&) { return text("This is a simple prompt for testing."); });
  to.prompt({.name = "test_prompt_with_arguments",
             .description = "A prompt with two arguments",
             .arguments = {{"arg1", "First test argument", true}, {"arg2", "Second test argument", true}}},
            [](const json::object& with) {
              return text("Prompt with arguments: arg1='" + string_of(with, "arg1") + "', arg2='" +
                          string_of(with, "arg2") + "'");
            });
  to.prompt({.name = "test_prompt_with_embedded_resource",
             .description = "A prompt with a resource in it",
             .arguments = {{"resourceUri", "URI of the resource to embed", true}}},
            [](const json::object& with) {
              return troupe::embedded(string_of(with, "resourceUri"), "text/plain",
                                      "Embedded resource content for testing.") +
                     text("Please process the embedded resource above.");
            });
  to.prompt({.name = "test_prompt_with_image", .description = "A prompt with an image in it"},
            [](const json::object&) { return image() + text("Please analyze the image above."); });
  to.completions([](const troupe::completion& asked) {
    std::vector<std::string> result;
    for (std::string one : {"paris", "park", "party"})
      if (one.starts_with(asked.value))
        result.push_back(one);
    return result;
  });
}

std::shared_ptr<troupe::server> fixture() {
  auto result = std::make_shared<troupe::server>(troupe::server_info{.name = "fixture"});
  add_answering_tools(*result);
  add_notifying_tools(*result);
  add_asking_tools(*result);
  add_resources(*result);
  add_prompts(*result);
  return result;
}

void serve() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  troupe::gateway_options options;
  options.port = 0;
  options.session_timeout = std::chrono::seconds{5};
  options.servers.push_back({.source = troupe::hosted(fixture())});
  troupe::gateway gateway{std::move(options)};
  std::cerr << R"({"url":"http://127.0.0.1:)" << gateway.port() << "/mcp\"}" << std::endl;
  int signal = 0;
  sigwait(&stops, &signal);
}

} // namespace

int main() {
  try {
    serve();
    return 0;
  } catch (const std::exception& why) {
    std::cerr << why.what() << '\n';
    return 1;
  }
}
