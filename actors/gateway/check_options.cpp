#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/option_rules.hpp"
#include "actors/gateway/server_names.hpp"
#include "actors/troupe/gateway.hpp"

#include <stdexcept>

namespace troupe {

void check_options(const gateway_options& options) {
  auto all = options;
  all.servers = actors::named(std::move(all.servers));
  if (const auto why = actors::why_not(all, false))
    throw std::runtime_error(*why);
  actors::make_tls(all);
  if (actors::known_credentials none; !all.auth.keys_file.empty())
    actors::begin_keys(all.auth.keys_file, none);
}

} // namespace troupe
