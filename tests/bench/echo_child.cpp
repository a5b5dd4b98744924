// An MCP server on stdin and stdout that costs as little as can be, so that it is not what is measured: raw reads and
// writes, all answers to what one read brought in one write.
//
// Its tools: `echo` returns its `message`, made longer by `size` bytes when that is given; `progress` does the same
// after a notification of progress; `notify` tells first that the tools have changed.
#include "tests/bench/json_member.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include <unistd.h>

namespace troupe::bench {

namespace {

constexpr std::size_t block = 64 * 1024;
constexpr std::string_view tools = R"({"tools":[)"
                                   R"({"name":"echo","inputSchema":{"type":"object"}},)"
                                   R"({"name":"progress","inputSchema":{"type":"object"}},)"
                                   R"({"name":"notify","inputSchema":{"type":"object"}}]})";

std::size_t number(std::string_view text) {
  std::size_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

class echo_server {
public:
  /// Takes what was read; what there is to answer is in `answers` then.
  void take(std::string_view bytes) {
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
    else if (method == R"("tools/list")")
      result(id, tools);
    else if (!method.empty()) // ping, logging/setLevel
      result(id, "{}");
  }

  void initialize(std::string_view id, std::string_view params) {
    begin_result(id);
    answers += R"({"protocolVersion":)";
    answers += member(params, "protocolVersion");
    answers += R"(,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"echo","version":"1"}}})";
    answers += '\n';
  }

  void call(std::string_view id, std::string_view params) {
    const auto tool = member(params, "name");
    if (tool == R"("progress")")
      tell_progress(member(member(params, "_meta"), "progressToken"));
    else if (tool == R"("notify")")
      answers += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
    return_echo(id, member(params, "arguments"));
  }

  void tell_progress(std::string_view token) {
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
    answers += "\"}]}}\n";
  }

  void begin_result(std::string_view id) {
    answers += R"({"jsonrpc":"2.0","id":)";
    answers += id;
    answers += R"(,"result":)";
  }

  void result(std::string_view id, std::string_view text) {
    begin_result(id);
    answers += text;
    answers += "}\n";
  }

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

void serve() {
  echo_server server;
  std::array<char, block> buffer;
  for (;;) {
    const auto size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return;
    server.take({buffer.data(), static_cast<std::size_t>(size)});
    if (!write_all(server.answers))
      return;
    server.answers.clear();
  }
}

} // namespace

} // namespace troupe::bench

int main() { troupe::bench::serve(); }
