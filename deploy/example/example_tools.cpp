#include "deploy/example/example_tools.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace troupe::deploy {

namespace {

// -- result of tools/list --------------------------------------------------------

constexpr auto definitions = R"([
  {
    "name": "echo",
    "title": "Echo",
    "description": "Returns the message as it came.",
    "inputSchema": {
      "type": "object",
      "properties": {"message": {"type": "string", "description": "What to return"}},
      "required": ["message"]
    },
    "annotations": {"readOnlyHint": true, "openWorldHint": false}
  },
  {
    "name": "add",
    "title": "Add",
    "description": "Adds two numbers.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "a": {"type": "number", "description": "First number"},
        "b": {"type": "number", "description": "Second number"}
      },
      "required": ["a", "b"]
    },
    "annotations": {"readOnlyHint": true, "openWorldHint": false}
  },
  {
    "name": "slow",
    "title": "Take time",
    "description": "Takes steps with a delay before each, and reports its progress when asked to.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "steps": {
          "type": "integer", "minimum": 1, "maximum": 10000, "default": 5,
          "description": "How many steps to take"
        },
        "delay_ms": {
          "type": "integer", "minimum": 0, "maximum": 60000, "default": 200,
          "description": "Milliseconds before each step"
        }
      }
    },
    "annotations": {"readOnlyHint": true, "openWorldHint": false}
  },
  {
    "name": "fail",
    "title": "Fail",
    "description": "Answers with a tool error.",
    "inputSchema": {"type": "object", "properties": {}},
    "annotations": {"readOnlyHint": true, "openWorldHint": false}
  },
  {
    "name": "crash",
    "title": "Crash",
    "description": "Ends this server's process at once, without an answer.",
    "inputSchema": {"type": "object", "properties": {}},
    "annotations": {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": false}
  },
  {
    "name": "ask",
    "title": "Ask the user",
    "description": "Asks the client's user a question (elicitation) and tells what came back.",
    "inputSchema": {
      "type": "object",
      "properties": {"question": {"type": "string", "description": "What to ask"}},
      "required": ["question"]
    },
    "annotations": {"readOnlyHint": true, "openWorldHint": true}
  }
])";

constexpr auto answer_schema = R"({
  "type": "object",
  "properties": {"answer": {"type": "string", "title": "Answer", "description": "Your answer to the question"}},
  "required": ["answer"]
})";

// -- arguments and results ---------------------------------------------------------

json::object text_result(std::string_view text) {
  return {{"content", json::array{json::object{{"type", "text"}, {"text", text}}}}};
}

std::optional<double> number_at(const json::object& arguments, std::string_view key) {
  const auto* member = arguments.if_contains(key);
  if (!member || !member->is_number())
    return std::nullopt;
  return member->to_number<double>();
}

/// Formats a number as people write it: `5`, not `5E0`.
std::string number_text(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

/// Returns an optional argument: `usual` when absent, empty when it is no integer within the limits.
std::optional<std::int64_t> integer_at(const json::object& arguments, std::string_view key, std::int64_t usual,
                                       std::int64_t least, std::int64_t most) {
  const auto* member = arguments.if_contains(key);
  if (!member)
    return usual;
  boost::system::error_code error;
  const auto number = member->to_number<std::int64_t>(error);
  return error || number < least || number > most ? std::nullopt : std::optional{number};
}

std::string outcome(const json::object& answer) {
  const auto action = string_at(answer, "action");
  if (action == "accept")
    return "The user answered: " + string_at(object_at(answer, "content"), "answer");
  return action == "decline" ? "The user declined to answer." : "The user dismissed the question.";
}

} // namespace

json::array example_tools::list() { return json::parse(definitions).as_array(); }

// -- calls -------------------------------------------------------------------------

bool example_tools::start(std::string_view tool, const example_call& call) {
  static const std::map<std::string_view, void (example_tools::*)(const example_call&)> tools = {
      {"echo", &example_tools::echo}, {"add", &example_tools::add},     {"slow", &example_tools::slow},
      {"fail", &example_tools::fail}, {"crash", &example_tools::crash}, {"ask", &example_tools::ask}};
  const auto found = tools.find(tool);
  if (found == tools.end())
    return false;
  (this->*found->second)(call);
  return true;
}

void example_tools::cancel(const json::value& id) {
  std::erase_if(slow_calls_, [&](const slow_call& slow) { return slow.call.id == id; });
  const auto asked = std::ranges::find_if(asked_, [&](auto& entry) { return entry.second.id == id; });
  if (asked == asked_.end())
    return;
  client_.notify("notifications/cancelled", {{"requestId", asked->first}, {"reason", "The call was cancelled"}});
  asked_.erase(asked);
}

void example_tools::say(const example_call& call, std::string_view text) { client_.answer(call.id, text_result(text)); }

// Reports a tool's failure as a result, which the model sees, not as a JSON-RPC error.
void example_tools::say_error(const example_call& call, std::string_view text) {
  auto result = text_result(text);
  result["isError"] = true;
  client_.answer(call.id, std::move(result));
}

// -- the tools ---------------------------------------------------------------------

void example_tools::echo(const example_call& call) {
  const auto* message = call.arguments.if_contains("message");
  if (!message || !message->is_string())
    return say_error(call, "message must be a string");
  say(call, message->get_string());
}

void example_tools::add(const example_call& call) {
  const auto a = number_at(call.arguments, "a");
  const auto b = number_at(call.arguments, "b");
  if (!a || !b)
    return say_error(call, "a and b must be numbers");
  say(call, number_text(*a + *b));
}

void example_tools::fail(const example_call& call) { say_error(call, "This tool always fails."); }

void example_tools::crash(const example_call&) { std::_Exit(1); }

void example_tools::slow(const example_call& call) {
  const auto steps = integer_at(call.arguments, "steps", 5, 1, 10'000);
  const auto delay = integer_at(call.arguments, "delay_ms", 200, 0, 60'000);
  if (!steps || !delay)
    return say_error(call, "steps must be an integer from 1 to 10000, delay_ms one from 0 to 60000");
  const std::chrono::milliseconds pause{*delay};
  slow_calls_.push_back({call, *steps, pause, 0, std::chrono::steady_clock::now() + pause});
}

void example_tools::ask(const example_call& call) {
  if (!client_can_ask_)
    return say_error(call, "This client cannot ask its user: it did not declare the capability elicitation.");
  const auto* question = call.arguments.if_contains("question");
  if (!question || !question->is_string())
    return say_error(call, "question must be a string");
  const auto id =
      client_.request("elicitation/create", {{"message", *question}, {"requestedSchema", json::parse(answer_schema)}});
  asked_.emplace(id, call);
}

void example_tools::answered(const json::object& response) {
  const auto* id = response.if_contains("id");
  const auto asked = id && id->is_int64() ? asked_.extract(id->get_int64()) : decltype(asked_)::node_type{};
  if (asked.empty()) // response to a cancelled question
    return;
  if (response.contains("result"))
    say(asked.mapped(), outcome(object_at(response, "result")));
  else
    say_error(asked.mapped(), "The client could not ask: " + string_at(object_at(response, "error"), "message"));
}

// -- time --------------------------------------------------------------------------

std::optional<example_tools::time_point> example_tools::next_tick() const {
  const auto next = std::ranges::min_element(slow_calls_, {}, &slow_call::next);
  return next == slow_calls_.end() ? std::nullopt : std::optional{next->next};
}

void example_tools::tick(time_point now) {
  for (auto& slow : slow_calls_)
    if (slow.next <= now)
      step(slow);
  std::erase_if(slow_calls_, [](const slow_call& slow) { return slow.done == slow.steps; });
}

void example_tools::step(slow_call& slow) {
  slow.next += slow.delay;
  ++slow.done;
  if (slow.call.progress_token)
    client_.notify("notifications/progress", {{"progressToken", *slow.call.progress_token},
                                              {"progress", slow.done},
                                              {"total", slow.steps},
                                              {"message", "step " + std::to_string(slow.done)}});
  if (slow.done == slow.steps)
    say(slow.call, "Took " + std::to_string(slow.done) + " steps.");
}

} // namespace troupe::deploy
