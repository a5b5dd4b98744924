#include "deploy/help/command_text.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace troupe::deploy {

namespace {

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> result;
  for (const auto& name : option.get_snames())
    result.push_back('-' + name);
  for (const auto& name : option.get_lnames())
    result.push_back("--" + name);
  if (result.empty())
    result.push_back(option.get_name());
  return result;
}

std::string full_command_name(const CLI::App& app) {
  return app.get_parent() ? full_command_name(*app.get_parent()) + ' ' + app.get_name() : app.get_name();
}

flag_text read_flag(const CLI::Option& option) {
  const auto takes_value = option.get_items_expected_max() > 0;
  return {.names = option_names(option),
          .value = takes_value ? option.get_type_name() : "",
          .text = option.get_description(),
          .default_value = takes_value ? option.get_default_str() : "",
          .group = option.get_group(),
          .repeats = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size,
          .required = option.get_required()};
}

bool is_choice(const std::string& word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

} // namespace

command_text read_commands(const CLI::App& app) {
  command_text result{full_command_name(app), app.get_description(), {}, app.get_footer(), app.get_group(), {}};
  for (const auto* option : app.get_options([](const CLI::Option* one) { return !one->get_group().empty(); }))
    result.flags.push_back(read_flag(*option));
  // Positional arguments first, in the order in which users type them.
  std::stable_partition(result.flags.begin(), result.flags.end(), std::mem_fn(&flag_text::is_word));
  for (const auto* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    result.commands.push_back(read_commands(*command));
  return result;
}

const command_text* find_command(const command_text& all, const std::vector<std::string>& words) {
  const auto* result = &all;
  for (const auto& word : words) {
    const auto found = std::ranges::find(result->commands, result->name + ' ' + word, &command_text::name);
    if (found == result->commands.end())
      return nullptr;
    result = &*found;
  }
  return result;
}

value_kind kind_of(const flag_text& flag) {
  value_kind result;
  result.is_file = flag.value.starts_with("FILE");
  result.is_directory = flag.value == "DIRECTORY";
  std::istringstream words{flag.value};
  for (std::string word; std::getline(words, word, '|');)
    result.choices.push_back(word);
  if (!std::ranges::all_of(result.choices, is_choice) || result.choices.size() < 2)
    result.choices.clear();
  return result;
}

std::vector<const command_text*> all_commands(const command_text& program) {
  std::vector<const command_text*> result{&program};
  for (const auto& command : program.commands) {
    const auto below = all_commands(command);
    result.insert(result.end(), below.begin(), below.end());
  }
  return result;
}

std::string short_name(const command_text& command) {
  const auto space = command.name.find(' ');
  return space == std::string::npos ? std::string{} : command.name.substr(space + 1);
}

} // namespace troupe::deploy
