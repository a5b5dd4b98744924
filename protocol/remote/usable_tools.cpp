#include "protocol/remote/usable_tools.hpp"

#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_shown_name = 100;

bool is_unusable(std::string_view tool) {
  return has_invalid_annotation(find_member(tool, {"inputSchema"}).value_or("{}"));
}

log_note left_out(std::string_view tool) {
  return {log_note::weight::warning,
          "server lists tools whose x-mcp-header is not valid: they are left out",
          {{"tool", one_line(string_member(tool, {"name"}), longest_shown_name)}}};
}

} // namespace

message with_usable_tools(message answer, bool& is_noted, remote_effects& out) {
  auto tools = find_member(answer.text, {"result", "tools"});
  if (!tools || !tools->starts_with('['))
    return answer;
  std::string kept;
  auto all_are = true;
  for (array_reader each{*tools}; each.next();) {
    if (!is_unusable(each.value())) {
      kept.append(kept.empty() ? "" : ",").append(each.value());
      continue;
    }
    all_are = false;
    if (!std::exchange(is_noted, true))
      out.push_back(left_out(each.value()));
  }
  if (all_are)
    return answer;
  auto change = replacing(answer.text, *tools, "[" + kept + "]");
  return spliced(std::move(answer), {std::move(change)});
}

} // namespace troupe::protocol
