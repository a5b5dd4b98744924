#include "deploy/program/check.hpp"

#include "deploy/program/exposures.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/access/credentials.hpp"
#include "protocol/text/words.hpp"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace troupe::deploy {

namespace {

/// Flags of `check` for a single tool, prompt or resource.
constexpr std::pair<const char*, asked_thing::kind> thing_flags[] = {{"--tool", asked_thing::kind::tool},
                                                                     {"--prompt", asked_thing::kind::prompt},
                                                                     {"--resource", asked_thing::kind::resource}};

/// Returns why a gateway cannot start with these options; empty when it can.
std::optional<std::string> why_not_begin(const gateway_options& options) {
  try {
    check_options(options);
    return std::nullopt;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// Returns the problem of starting with these options. Without the flags of `serve`, missing access is only a warning.
std::optional<config_problem> problem_of(gateway_options options, bool are_flags_known) {
  auto why = why_not_begin(options);
  if (!why)
    return std::nullopt;
  if (are_flags_known)
    return config_problem{severity::error, 0, "gateway", std::move(*why)};
  options.auth.allow_anonymous = true;
  if (options.admin && options.admin->token_file.empty())
    options.admin.reset();
  auto more = why_not_begin(options);
  return config_problem{more ? severity::error : severity::warning, 0, "gateway", std::move(more ? *more : *why)};
}

void say_end(const std::string& of, std::chrono::sys_seconds until) {
  const auto rest = std::chrono::floor<std::chrono::days>(until - std::chrono::system_clock::now()).count();
  std::cout << of << (rest < 0 ? " has expired: " : " expires in " + std::to_string(rest) + " days: ")
            << protocol::utc_text(until) << '\n';
}

void say_expiry(const tls_options& tls) {
  say_end("the certificate", certificate_expiry(tls));
  if (const auto until = revocations_expiry(tls))
    say_end("a list of revoked certificates", *until);
}

std::string shown_on_stdin() {
  std::string line;
  std::getline(std::cin, line);
  return std::string(protocol::without_blanks(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line));
}

access_question question_of(const check_command& command) {
  auto result = command.question;
  if (command.as == "-")
    result.secret = shown_on_stdin();
  else
    (protocol::looks_like_credentials(command.as) ? result.secret : result.name) = command.as;
  return result;
}

int answer_access_question(const check_command& command, const gateway_options& options) {
  const auto question = question_of(command);
  if (command.as == "-" && question.secret.empty()) {
    std::cerr << "troupe: --as: there is neither a key nor a token on stdin\n";
    return 1;
  }
  try {
    const auto answer = troupe::check_access(options, question);
    std::cout << answer.text;
    return answer.allowed ? 0 : 1;
  } catch (const std::runtime_error& error) { // a file has changed since
    std::cerr << "troupe: " << error.what() << '\n';
    return 1;
  }
}

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
      check.add_option("--subject", command.question.subject, "Say what whom a token of the issuer's names may");
  subject->excludes(as)->type_name("NAME");
  auto add_list = [&](const char* flag, std::vector<std::string>& to, const char* text) {
    auto* const list = check.add_option(flag, to, text);
    list->needs(subject)->delimiter(',')->allow_extra_args(false)->type_name("NAME,...");
  };
  add_list("--scope", command.question.scopes, "Scopes of that token");
  add_list("--group", command.question.groups, "Groups that it has");
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
  if (flags.given.contains("--subject") && typed.command.question.subject.empty())
    throw CLI::ValidationError("--subject", "is empty");
  for (const auto& [flag, kind] : thing_flags)
    if (flags.given.erase(flag) > 0) {
      if (!flags.given.contains("--as") && !flags.given.contains("--subject"))
        throw CLI::ValidationError(flag, "says not for whom: give --as or --subject");
      const auto slash = typed.thing.find('/');
      typed.command.question.thing = {kind, typed.thing.substr(0, slash), typed.thing.substr(slash + 1)};
    }
  for (const auto* own : {"--config", "--as", "--subject", "--scope", "--group"})
    flags.given.erase(own);
  return std::move(typed.command);
}

int check(const check_command& command) {
  const auto asks = !command.as.empty() || !command.question.subject.empty();
  const auto are_flags_known = asks || !command.flags.given.empty();
  auto file = load_config(command.config, command.flags, programs::looked_for);
  if (auto problem = has_error(file.problems) ? std::nullopt : problem_of(file.gateway, are_flags_known))
    file.problems.push_back(std::move(*problem));
  if (!has_error(file.problems))
    for (auto& problem : exposures(file.gateway, command.config))
      file.problems.push_back(std::move(problem));
  if (file.gateway.tls && !asks && !has_error(file.problems))
    say_expiry(*file.gateway.tls);
  for (const auto& problem : file.problems)
    std::cout << problem_line(command.config, problem) << '\n';
  if (asks && !has_error(file.problems))
    return answer_access_question(command, file.gateway);
  if (const auto root = servers_as_root(file.gateway.servers); !root.names.empty())
    std::cerr << "troupe: warning: as root, " << root.text << " (" << root.names << ")\n";
  const auto count = file.gateway.servers.size();
  if (file.problems.empty())
    std::cout << count << (count == 1 ? " server" : " servers") << ", no problems\n";
  return has_error(file.problems) ? 1 : 0;
}

} // namespace troupe::deploy
