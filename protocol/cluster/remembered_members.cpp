#include "protocol/cluster/remembered_members.hpp"

#include "protocol/text/host_port.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Begin of the first line; a number of the form follows, and the name of the node.
constexpr std::string_view heading = "troupe-members 1 ";

bool is_address(std::string_view text) {
  auto place = read_host_port(text);
  return place && place->port != 0;
}

/// Takes a line and its end off the front of the text; false if the line has no end.
bool take_line(std::string_view& text, std::string_view& line) {
  auto end = text.find('\n');
  if (end == text.npos)
    return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

} // namespace

remembered_members::remembered_members(const std::optional<std::vector<std::string>>& kept) {
  if (kept)
    all_ = kept_.emplace(kept->begin(), kept->end());
}

/// Leaves out what could not be read again.
void remembered_members::joined(const std::string& address) {
  if (all_.size() < most && is_address(address))
    all_.insert(address);
}

void remembered_members::retain(const std::function<bool(const std::string& address)>& test) {
  std::erase_if(all_, [&](auto& one) { return !test(one); });
}

std::optional<std::vector<std::string>> remembered_members::next(time_point now) {
  if (is_kept() || now < not_before_)
    return std::nullopt;
  not_before_ = now + pause;
  kept_ = all_;
  return std::vector<std::string>{all_.begin(), all_.end()};
}

time_point remembered_members::deadline() const { return is_kept() ? time_point::max() : not_before_; }

// -- the text --------------------------------------------------------------------------------

std::string members_text(const std::string& node, const std::vector<std::string>& addresses) {
  auto result = std::string{heading} + node + '\n';
  for (auto& one : addresses)
    result += one + '\n';
  return result;
}

std::variant<std::vector<std::string>, std::size_t> read_members(std::string_view text, const std::string& node) {
  std::vector<std::string> result;
  std::string_view line;
  if (!take_line(text, line) || line != std::string{heading} + node)
    return std::size_t{1};
  while (!text.empty()) {
    if (!take_line(text, line) || !is_address(line) || result.size() >= remembered_members::most)
      return result.size() + 2;
    result.emplace_back(line);
  }
  return result;
}

} // namespace troupe::protocol
