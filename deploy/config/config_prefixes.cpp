#include "deploy/config/config_prefixes.hpp"

#include "protocol/catalog/merged_names.hpp"

#include <algorithm>
#include <string>

namespace troupe::deploy {

namespace {

/// `my.server` precedes its tools as `my_server__`.
std::string prefix_of(const server_options& server) {
  return protocol::name_stem(protocol::clean_prefix(server.prefix.empty() ? server.name : server.prefix));
}

struct prefixed_server {
  const server_entry* server;
  std::string prefix;
};

} // namespace

void check_prefixes(const std::vector<server_entry>& servers) {
  std::vector<prefixed_server> seen;
  const server_entry* unprefixed = nullptr;
  for (const auto& one : servers) {
    if (!one.options.prefixed) {
      if (unprefixed)
        one.entry.warn("has no prefix, as `" + unprefixed->options.name +
                       "`: where both have a tool of one name, clients see that of `" + unprefixed->options.name + "`");
      else
        unprefixed = &one;
      continue;
    }
    prefixed_server next{&one, prefix_of(one.options)};
    const auto earlier =
        std::ranges::find_if(seen, [&](auto& other) { return protocol::may_share_names(other.prefix, next.prefix); });
    // Servers of the same name are reported elsewhere.
    if (earlier != seen.end() && earlier->server->options.name != one.options.name)
      one.entry.error("its tools could be named as those of `" + earlier->server->options.name + "`: set `prefix`");
    seen.push_back(std::move(next));
  }
}

} // namespace troupe::deploy
