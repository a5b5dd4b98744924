#pragma once

#include "deploy/config/config_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace troupe::deploy {

using lines = std::vector<std::string>;

/// The environment variables of these tests.
inline std::optional<std::string> test_variable(const std::string& name) {
  static const std::map<std::string, std::string> all = {
      {"HOME", "/home/ann"},  {"TOKEN", "s3cret"},         {"EMPTY", ""},
      {"NESTED", "${TOKEN}"}, {"ADDRESS", "http://host/"}, {"BREAK", "a\r\nb"}};
  const auto found = all.find(name);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// A file `/etc/troupe/f` with this text.
inline config_file read_text(std::string text) { return read_config(std::move(text), "/etc/troupe", test_variable); }

/// The problems of the file, as `troupe check` prints them.
inline lines problems_of(std::string text) {
  lines result;
  for (const auto& problem : read_text(std::move(text)).problems)
    result.push_back(problem_line("f", problem));
  return result;
}

/// A file with one server `a` that has these members.
inline std::string one_server(const std::string& members) { return R"({"mcpServers": {"a": {)" + members + "}}}"; }

/// The server with these members; fails on errors.
inline server_options server_of(const std::string& members) {
  auto file = read_text(one_server(members));
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file.gateway.servers.empty() ? server_options{} : file.gateway.servers.front();
}

/// The server as a `command_server`.
inline command_server program_of(const std::string& members) {
  return std::get<command_server>(server_of(members).source);
}
inline remote_server remote_of(const std::string& members) {
  return std::get<remote_server>(server_of(members).source);
}

/// The problems of a server with these members.
inline lines problems_of_server(const std::string& members) { return problems_of(one_server(members)); }

} // namespace troupe::deploy
