#include "protocol/server_diagnostics.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::protocol {

std::string server_failure::telling_line() const {
  constexpr std::array<std::string_view, 4> error_words{"error", "exception", "fatal", "panic"};
  auto mentions_error = [&](const std::string& line) {
    const auto letters = lower(line);
    return std::ranges::any_of(error_words, [&](auto word) { return letters.find(word) != letters.npos; });
  };
  const auto found = std::find_if(lines.rbegin(), lines.rend(), mentions_error);
  if (found != lines.rend())
    return *found;
  return lines.empty() ? std::string{} : lines.back();
}

void server_diagnostics::wrote(int pid, std::string_view line, std::chrono::system_clock::time_point at) {
  if (lines_.size() == most_lines)
    lines_.pop_front();
  lines_.push_back({at, pid, one_line(line, longest_line)});
}

const server_failure& server_diagnostics::failed(server_failure one) {
  ++failure_count_;
  if (failures_.size() == most_failures)
    failures_.pop_front();
  one.lines = lines_of(one.pid);
  return failures_.emplace_back(std::move(one));
}

std::vector<std::string> server_diagnostics::lines_of(int pid) const {
  std::vector<std::string> result;
  for (auto line = lines_.rbegin(); pid != 0 && line != lines_.rend() && result.size() < most_failure_lines; ++line)
    if (line->pid == pid)
      result.push_back(line->text);
  std::ranges::reverse(result);
  return result;
}

} // namespace troupe::protocol
