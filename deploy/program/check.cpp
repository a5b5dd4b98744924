#include "deploy/program/check.hpp"

#include "actors/troupe/access_check.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/program/exposures.hpp"
#include "deploy/program/root_servers.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/access/credentials.hpp"
#include "protocol/text/words.hpp"

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe::deploy {

namespace {

/// Why a gateway cannot begin with these options; nothing when it can.
std::optional<std::string> why_not_begin(const gateway_options& options) {
  try {
    check_options(options);
    return std::nullopt;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// What would be wrong unless flags let somebody in is only a warning while no flags are known.
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
            << protocol::expiry_text(until) << '\n';
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
  access_question result{
      .subject = command.subject, .scopes = command.scopes, .groups = command.groups, .thing = command.thing};
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
  } catch (const std::runtime_error& error) { // a file has changed meanwhile
    std::cerr << "troupe: " << error.what() << '\n';
    return 1;
  }
}

} // namespace

int check(const check_command& command) {
  const auto asks = !command.as.empty() || !command.subject.empty();
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
