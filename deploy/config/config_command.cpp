#include "deploy/config/config_command.hpp"

#include "deploy/config/config_rules.hpp"

namespace troupe::deploy {

const std::vector<config_key<command_reader>>& command_reader::keys() {
  static const std::vector<config_key<command_reader>> all = {{"command", &command_reader::command},
                                                              {"args", &command_reader::args},
                                                              {"env", &command_reader::env},
                                                              {"cwd", &command_reader::cwd},
                                                              {"envFile", &command_reader::env_file}};
  return all;
}

void command_reader::command(const config_value& value) {
  if (const auto path = texts_.path(value))
    result_.program = path->find('/') == std::string::npos ? *path : texts_.from_directory(*path);
}

void command_reader::args(const config_value& value) {
  for (const auto& element : value.elements())
    if (auto text = texts_.text(element))
      result_.arguments.push_back(std::move(*text));
}

void command_reader::env(const config_value& value) {
  for (const auto& [name, value_of] : value.members()) {
    if (!is_variable_name(name))
      value_of.error("is no name of an environment variable");
    else if (auto text = texts_.expanded(env_text(value_of), value_of))
      result_.environment.emplace_back(name, std::move(*text));
  }
}

std::optional<std::string> command_reader::env_text(const config_value& value) {
  if (!value.is_number() && !value.is_truth())
    return value.text();
  value.warn("is taken as a string: write it in quotes");
  return std::string(value.token());
}

void command_reader::env_file(const config_value& value) {
  value.warn("is not read: use `env`, with `${VAR}` for what is secret");
}

void command_reader::cwd(const config_value& value) {
  if (auto place = texts_.place(value))
    result_.directory = std::move(*place);
}

} // namespace troupe::deploy
