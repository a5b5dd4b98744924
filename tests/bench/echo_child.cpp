// A minimal MCP server on stdin and stdout, so that the benchmark does not measure the server. It uses raw reads and
// writes, and writes all answers to one read at once.
//
// Tools: `echo` returns its `message`, made longer by `size` bytes if given; `progress` does the same after a progress
// notification; `notify` first sends a list_changed notification for the tools; `ask` answers when the client has
// answered a question. With `--modern` it speaks only the parts of 2026-07-28 that the benchmark needs.
#include "tests/bench/json_member.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace troupe::bench {

namespace {

constexpr std::size_t block = 64 * 1024;
constexpr std::string_view tools = R"({"tools":[)"
                                   R"({"name":"echo","inputSchema":{"type":"object"}},)"
                                   R"({"name":"progress","inputSchema":{"type":"object"}},)"
                                   R"({"name":"ask","inputSchema":{"type":"object"}},)"
                                   R"({"name":"notify","inputSchema":{"type":"object"}}])";
/// Members of all 2026-07-28 results. Lists and `server/discover` also have cache hints.
constexpr std::string_view is_complete = R"(,"resultType":"complete")";
constexpr std::string_view is_fresh = R"(,"ttlMs":0,"cacheScope":"private")";
constexpr std::string_view discovery =
    R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},)"
    R"("serverInfo":{"name":"echo","version":"1"})";

std::size_t number(std::string_view text) {
  std::size_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

class echo_server {
public:
  explicit echo_server(bool is_modern) : is_modern_(is_modern) {}

  /// Consumes input. The answers are in `answers` afterwards.
  void feed(std::string_view bytes) {
    auto searched = unread_.size();
    unread_.append(bytes);
    std::size_t begin = 0;
    for (auto end = unread_.find('\n', searched); end != unread_.npos; end = unread_.find('\n', begin)) {
      take_line(std::string_view(unread_).substr(begin, end - begin));
      begin = end + 1;
    }
    unread_.erase(0, begin);
  }

  std::string answers;

private:
  void take_line(std::string_view line) {
    const auto id = member(line, "id");
    if (id.empty())
      return;
    const auto method = member(line, "method");
    const auto params = member(line, "params");
    if (method == R"("tools/call")")
      call(id, params);
    else if (method == R"("initialize")")
      initialize(id, params);
    else if (method == R"("server/discover")" && is_modern_)
      result(id, discovery, is_fresh);
    else if (method == R"("tools/list")")
      result(id, tools, is_modern_ ? is_fresh : "");
    else if (!method.empty()) // ping, logging/setLevel
      result(id, R"({"_meta":{})");
    else
      answered(id);
  }

  void initialize(std::string_view id, std::string_view params) {
    if (is_modern_)
      return refuse_initialize(id);
    begin_result(id);
    answers += R"({"protocolVersion":)";
    answers += member(params, "protocolVersion");
    answers += R"(,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"echo","version":"1"}}})";
    answers += '\n';
  }

  void refuse_initialize(std::string_view id) {
    answers += R"({"jsonrpc":"2.0","id":)";
    answers += id;
    answers += R"(,"error":{"code":-32022,"message":"Unsupported protocol version",)"
               R"("data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}})"
               "\n";
  }

  void call(std::string_view id, std::string_view params) {
    const auto tool = member(params, "name");
    if (tool == R"("ask")")
      return ask(id, member(params, "arguments"));
    if (tool == R"("progress")")
      send_progress(member(member(params, "_meta"), "progressToken"));
    else if (tool == R"("notify")")
      answers += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
    return_echo(id, member(params, "arguments"));
  }

  void ask(std::string_view id, std::string_view arguments) {
    const auto own = std::to_string(++questions_);
    asked_.emplace(own, std::pair{std::string(id), std::string(arguments)});
    answers += R"({"jsonrpc":"2.0","id":)" + own +
               R"(,"method":"elicitation/create","params":{"message":"?","requestedSchema":)"
               R"({"type":"object","properties":{}}}})"
               "\n";
  }

  void answered(std::string_view id) {
    if (const auto call = asked_.extract(std::string(id)))
      return_echo(call.mapped().first, call.mapped().second);
  }

  void send_progress(std::string_view token) {
    if (token.empty())
      return;
    answers += R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)";
    answers += token;
    answers += ",\"progress\":1}}\n";
  }

  void return_echo(std::string_view id, std::string_view arguments) {
    auto message = member(arguments, "message");
    if (message.empty())
      message = R"("")";
    begin_result(id);
    answers += R"({"content":[{"type":"text","text":)";
    answers += message.substr(0, message.size() - 1);
    answers.append(number(member(arguments, "size")), 'x');
    answers += "\"}]";
    end_result();
  }

  void begin_result(std::string_view id) {
    answers += R"({"jsonrpc":"2.0","id":)";
    answers += id;
    answers += R"(,"result":)";
  }

  void end_result() {
    if (is_modern_)
      answers += is_complete;
    answers += "}}\n";
  }

  /// `text` lacks its closing brace.
  void result(std::string_view id, std::string_view text, std::string_view further = "") {
    begin_result(id);
    answers += text;
    answers += further;
    end_result();
  }

  bool is_modern_;
  std::uint64_t questions_ = 0;
  /// Waiting calls by the ids of their questions: their ids and arguments.
  std::map<std::string, std::pair<std::string, std::string>> asked_;
  std::string unread_;
};

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (size < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  return true;
}

void serve(bool is_modern) {
  echo_server server(is_modern);
  std::array<char, block> buffer;
  for (;;) {
    const auto size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return;
    server.feed({buffer.data(), static_cast<std::size_t>(size)});
    if (!write_all(server.answers))
      return;
    server.answers.clear();
  }
}

} // namespace

} // namespace troupe::bench

int main(int argc, char** argv) { troupe::bench::serve(argc > 1 && std::string_view(argv[1]) == "--modern"); }
