#include "protocol/access/certificate_rules.hpp"

#include "protocol/text/glob.hpp"

#include <algorithm>

namespace troupe::protocol {

caller certificate_holder(std::string_view name, const certificate_rules& rules, std::optional<calendar_time> until) {
  principal result{.issuer = certificate_issuer, .subject = std::string{name}, .expires = until};
  auto comes_in = rules.empty() && !name.empty();
  for (auto& [pattern, scopes] : rules)
    if (!name.empty() && fits_glob(pattern, name)) {
      comes_in = true;
      std::ranges::copy_if(scopes, std::back_inserter(result.scopes),
                           [&](auto& scope) { return std::ranges::find(result.scopes, scope) == result.scopes.end(); });
    }
  return comes_in ? std::make_shared<const principal>(std::move(result)) : nullptr;
}

} // namespace troupe::protocol
