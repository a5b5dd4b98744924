#include "deploy/program/check_flags.hpp"

#include "deploy/program/flag_checks.hpp"
#include "deploy/program/given_flags.hpp"

#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Also those that are not of `serve`.
constexpr std::pair<const char*, asked_thing::kind> thing_flags[] = {{"--tool", asked_thing::kind::tool},
                                                                     {"--prompt", asked_thing::kind::prompt},
                                                                     {"--resource", asked_thing::kind::resource}};

} // namespace

CLI::App& add_check(CLI::App& app, check_flag_values& typed) {
  auto& command = typed.command;
  auto& check = *app.add_subcommand("check", "Say what is wrong with a configuration file, and who may what by it");
  check.add_option("file,-c,--config", command.config, "The file")->type_name("FILE");
  auto* const as = check.add_option("--as", command.as,
                                    "Say what the key or certificate of a name may, or who shows a key or token; - "
                                    "reads that from stdin, where nobody sees it");
  as->type_name("NAME|TOKEN|-");
  auto* const subject =
      check.add_option("--subject", command.subject, "Say what whom a token of the issuer's names may");
  subject->excludes(as)->type_name("NAME");
  auto add_list = [&](const char* flag, std::vector<std::string>& to, const char* text) {
    auto* const list = check.add_option(flag, to, text);
    list->needs(subject)->delimiter(',')->allow_extra_args(false)->type_name("NAME,...");
  };
  add_list("--scope", command.scopes, "Scopes of that token");
  add_list("--group", command.groups, "Groups that it has");
  for (const auto& [flag, kind] : thing_flags) {
    auto* const one = check.add_option(flag, typed.thing, "Of a server's things say it of this alone, and why");
    one->check(must_be_thing())->type_name("SERVER/NAME");
    for (const auto& [other, its_kind] : thing_flags)
      if (const auto* const before = check.get_option_no_throw(other); before && before != one)
        one->excludes(other);
  }
  add_access_flags(check, command.flags.options, typed.access);
  return check;
}

check_command check_command_of(const CLI::App& check, check_flag_values typed) {
  auto& flags = typed.command.flags;
  set_access(flags.options, typed.access);
  flags.given = given_flags(check);
  if (flags.given.contains("--as") && typed.command.as.empty())
    throw CLI::ValidationError("--as", "is empty: give a name, or - for a key or token on stdin");
  if (flags.given.contains("--subject") && typed.command.subject.empty())
    throw CLI::ValidationError("--subject", "is empty");
  for (const auto& [flag, kind] : thing_flags)
    if (flags.given.erase(flag) > 0) {
      if (!flags.given.contains("--as") && !flags.given.contains("--subject"))
        throw CLI::ValidationError(flag, "says not for whom: give --as or --subject");
      const auto slash = typed.thing.find('/');
      typed.command.thing = {kind, typed.thing.substr(0, slash), typed.thing.substr(slash + 1)};
    }
  for (const auto* own : {"--config", "--as", "--subject", "--scope", "--group"})
    flags.given.erase(own);
  return std::move(typed.command);
}

} // namespace troupe::deploy
