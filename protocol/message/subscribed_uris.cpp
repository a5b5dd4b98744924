#include "protocol/message/subscribed_uris.hpp"

namespace troupe::protocol {

std::vector<std::string_view> enclosing_uris(std::string_view uri) {
  if (uri.size() > 2 * longest_subscribed_uri)
    return {};
  std::vector<std::string_view> result{uri};
  for (std::size_t at = 1; at < uri.size(); ++at) {
    auto ends = uri[at] == '/' || uri[at] == '?' || uri[at] == '#';
    if (ends)
      result.push_back(uri.substr(0, at));
    if (uri[at - 1] == '/')
      result.push_back(uri.substr(0, at));
  }
  return result;
}

} // namespace troupe::protocol
