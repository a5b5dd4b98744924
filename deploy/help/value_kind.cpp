#include "deploy/help/value_kind.hpp"

#include <algorithm>
#include <sstream>

namespace troupe::deploy {

namespace {

bool is_choice(const std::string& word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

} // namespace

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
