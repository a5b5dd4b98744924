#pragma once

#include "protocol/access/principal.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Which names of clients' certificates come in, as patterns (see `fits_glob`), and the scopes that each gives. Without
/// any all come in, with no scopes.
using certificate_rules = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The caller with a certificate of that name, which is valid until `until`, with the scopes of all rules that fit;
/// null if none fits.
caller certificate_holder(std::string_view name, const certificate_rules& rules,
                          std::optional<calendar_time> until = std::nullopt);

} // namespace troupe::protocol
