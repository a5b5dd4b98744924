#include "deploy/program/check.hpp"

#include "deploy/config/config_file.hpp"
#include "protocol/access/access_key.hpp"

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe::deploy {

namespace {

/// Says when the certificate expires; why it is of no use instead.
std::optional<std::string> say_expiry(const gateway_options& options) {
  if (!options.tls || options.tls->certificate.empty() || options.tls->private_key.empty())
    return std::nullopt;
  try {
    const auto until = certificate_expiry(*options.tls);
    const auto rest = std::chrono::floor<std::chrono::days>(until - std::chrono::system_clock::now()).count();
    if (rest < 0)
      return "the certificate has expired: " + protocol::expiry_text(until);
    std::cout << "the certificate expires in " << rest << " days: " << protocol::expiry_text(until) << '\n';
    return std::nullopt;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

} // namespace

int check(const check_command& command) {
  auto file = load_config(command.config, {}, programs::looked_for);
  if (auto why = has_error(file.problems) ? std::nullopt : say_expiry(file.gateway))
    file.problems.push_back({severity::error, 0, "gateway.tls", std::move(*why)});
  for (const auto& problem : file.problems)
    std::cout << problem_line(command.config, problem) << '\n';
  const auto count = file.gateway.servers.size();
  if (file.problems.empty())
    std::cout << count << (count == 1 ? " server" : " servers") << ", no problems\n";
  return has_error(file.problems) ? 1 : 0;
}

} // namespace troupe::deploy
