#include "deploy/program/new_key.hpp"

#include "actors/troupe/access_key.hpp"
#include "protocol/access/access_key.hpp"

#include <iostream>

namespace troupe::deploy {

int make_key(const new_key_command& command) {
  const auto made = make_access_key();
  const protocol::access_key known{command.name, made.hash, command.scopes, command.expires};
  std::cerr << "The key, which is shown only now:\n";
  std::cout << made.secret << std::endl;
  std::cerr << "The line for the file that --keys names:\n";
  std::cout << protocol::key_line(known) << std::endl;
  return 0;
}

} // namespace troupe::deploy
