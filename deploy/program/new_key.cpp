#include "deploy/program/new_key.hpp"

#include "actors/troupe/access_key.hpp"
#include "deploy/program/flag_checks.hpp"

#include <iostream>
#include <utility>

namespace troupe::deploy {

CLI::App& add_key(CLI::App& app, key_flag_values& typed) {
  auto& key = *app.add_subcommand("key", "Make keys for clients");
  key.require_subcommand(1);
  auto& made = *key.add_subcommand("new", "Make a key, and print it, and the line for the file that --keys names");
  made.add_option("name", typed.made.name, "Who gets it, as rules and logs name him")
      ->check(must_be_key_name())
      ->type_name("NAME")
      ->required();
  made.add_option("--scope", typed.made.scopes, "What it may be used for; commas between them, or repeated")
      ->check(must_be_scope())
      ->type_name("SCOPE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  made.add_option("--expires", typed.expires, "Its last day, or the time of its end (default: never)")
      ->check(must_be_expiry())
      ->type_name("YYYY-MM-DD");
  return made;
}

new_key_command new_key_command_of(key_flag_values typed) {
  typed.made.expires = protocol::read_expiry(typed.expires);
  return std::move(typed.made);
}

int make_key(new_key_command key) {
  const auto made = make_access_key();
  key.hash = made.hash;
  std::cerr << "The key, which is shown only now:\n";
  std::cout << made.secret << std::endl;
  std::cerr << "The line for the file that --keys names:\n";
  std::cout << protocol::key_line(key) << std::endl;
  return 0;
}

} // namespace troupe::deploy
