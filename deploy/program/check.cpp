#include "deploy/program/check.hpp"

#include "deploy/config/config_file.hpp"

#include <iostream>

namespace troupe::deploy {

int check(const check_command& command) {
  const auto file = load_config(command.config, {}, programs::looked_for);
  for (const auto& problem : file.problems)
    std::cout << problem_line(command.config, problem) << '\n';
  const auto count = file.gateway.servers.size();
  if (file.problems.empty())
    std::cout << count << (count == 1 ? " server" : " servers") << ", no problems\n";
  return has_error(file.problems) ? 1 : 0;
}

} // namespace troupe::deploy
