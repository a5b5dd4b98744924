#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/admin_token.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/gateway/option_rules.hpp"
#include "actors/troupe/gateway.hpp"

namespace troupe {

void check_options(const gateway_options& options) {
  const auto all = actors::checked(options, false);
  actors::make_tls(all);
  if (all.admin)
    actors::admin_token{*all.admin};
  if (all.cluster)
    actors::cluster_keys{*all.cluster};
  if (actors::known_credentials none; !all.auth.keys_file.empty())
    actors::begin_keys(all.auth.keys_file, none);
}

} // namespace troupe
