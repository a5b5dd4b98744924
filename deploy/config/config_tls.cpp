#include "deploy/config/config_tls.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_path.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::deploy {

namespace {

struct tls_file {
  std::string_view name;
  std::string tls_options::*path;
};

constexpr tls_file tls_files[] = {{"cert", &tls_options::certificate},
                                  {"key", &tls_options::private_key},
                                  {"clientCa", &tls_options::client_ca},
                                  {"clientCrl", &tls_options::client_crl}};

} // namespace

void read_tls(const config_value& section, config_variables& variables, tls_options& to) {
  for (const auto& member : section.members()) {
    const auto* const found = std::ranges::find(tls_files, member.name, &tls_file::name);
    if (found == std::end(tls_files))
      warn_of_unknown(member, tls_keys());
    else if (auto path = readable_path(member.value, variables))
      to.*(found->path) = std::move(*path);
  }
}

std::vector<std::string_view> tls_keys() {
  std::vector<std::string_view> result;
  std::ranges::transform(tls_files, std::back_inserter(result), &tls_file::name);
  return result;
}

} // namespace troupe::deploy
