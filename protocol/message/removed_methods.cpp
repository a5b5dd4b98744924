#include "protocol/message/removed_methods.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

const removed_method* find_removed_method(std::string_view name) {
  static constexpr std::array all{
      removed_method{"initialize", "server/discover says what the server is capable of"},
      removed_method{"ping", "server/discover shows that the server answers"},
      removed_method{"logging/setLevel", "each request names in params._meta the level that it wants"},
      removed_method{"resources/subscribe", "subscriptions/listen takes its place"},
      removed_method{"resources/unsubscribe", "the end of subscriptions/listen takes its place"}};
  auto found = std::ranges::find(all, name, &removed_method::name);
  return found == all.end() ? nullptr : &*found;
}

} // namespace troupe::protocol
