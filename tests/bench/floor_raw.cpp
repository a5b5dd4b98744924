#include "tests/bench/floor_raw.hpp"

#include "tests/bench/floor_child.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view line =
    R"({"jsonrpc":"2.0","id":1000000000,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}})"
    "\n";

void write_lines(int to, std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i)
    lines += line;
  if (::write(to, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size()))
    throw std::runtime_error("the child's stdin is closed");
}

/// The number of lines that end in the bytes read.
std::size_t read_lines(int from) {
  static std::array<char, 64 * 1024> buffer;
  const auto size = ::read(from, buffer.data(), buffer.size());
  if (size <= 0)
    throw std::runtime_error("the child's stdout is closed");
  return static_cast<std::size_t>(std::count(buffer.data(), buffer.data() + size, '\n'));
}

} // namespace

std::string raw_figures(const std::vector<std::string>& command, const raw_options& options) {
  const auto child = start_piped(command);
  const auto begin = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  std::size_t lines = 0;
  for (write_lines(child.to_stdin, options.depth); passed() < options.seconds;) {
    const auto answered = read_lines(child.from_stdout);
    lines += answered;
    write_lines(child.to_stdin, answered);
  }
  const auto seconds = passed();
  ::close(child.to_stdin);
  ::close(child.from_stdout);
  ::waitpid(child.pid, nullptr, 0);
  return "{\"depth\":" + std::to_string(options.depth) +
         ",\"per_second\":" + std::to_string(static_cast<double>(lines) / seconds) + "}";
}

} // namespace troupe::bench
