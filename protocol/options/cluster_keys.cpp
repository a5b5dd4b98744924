#include "protocol/options/cluster_keys.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  std::vector<std::string> result;
  for (bool is_last = false; !is_last;) {
    const auto end = text.find('\n');
    is_last = end == text.npos;
    auto line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    result.emplace_back(line);
    text.remove_prefix(is_last ? text.size() : end + 1);
  }
  return result;
}

/// Empty for a key that can be used.
std::string fault_of(std::string_view key) {
  if (key.empty())
    return "is empty";
  if (key.size() < shortest_cluster_key)
    return "must have at least 16 bytes, such as those of `openssl rand -hex 32`";
  if (key.size() > longest_cluster_key)
    return "must have at most 4096 bytes";
  return {};
}

std::string fault_of(const std::vector<std::string>& keys) {
  if (keys.size() == 1)
    return keys.front().empty() ? std::string(no_cluster_key) : fault_of(keys.front());
  if (keys.size() > most_cluster_keys)
    return "must have at most 4 keys, one a line";
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    const auto number = [&](auto at) { return std::to_string(at - keys.begin() + 1); };
    if (const auto fault = fault_of(*key); !fault.empty())
      return "has a key a line, and line " + number(key) + ' ' + fault;
    if (const auto same = std::find(keys.begin(), key, *key); same != key)
      return "has the same key in the lines " + number(same) + " and " + number(key);
  }
  return {};
}

} // namespace

std::variant<std::vector<std::string>, std::string> read_cluster_keys(std::string_view text) {
  auto keys = lines_of(text);
  if (auto fault = fault_of(keys); !fault.empty())
    return fault;
  return keys;
}

} // namespace troupe::protocol
