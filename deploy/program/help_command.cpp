#include "deploy/program/help_command.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/help/completion.hpp"
#include "deploy/help/help_text.hpp"
#include "deploy/help/man_page.hpp"
#include "deploy/help/manual_keys.hpp"
#include "deploy/help/topics.hpp"
#include "deploy/operator/terminal.hpp"
#include "deploy/program/flag_checks.hpp"

#include <algorithm>
#include <iostream>

namespace troupe::deploy {

namespace {

constexpr std::size_t narrowest = 60;
constexpr std::size_t widest = 100;
constexpr auto file_topic = "config";

std::size_t page_width() {
  const auto columns = size_of_stdout().columns;
  return columns == 0 ? widest : std::clamp(columns, narrowest, widest);
}

/// The keys below the words, such as `gateway` or `mcpServers`; all when there are none.
std::string file_text_page(const std::string& below) {
  const auto width = page_width();
  auto result = below.empty() ? wrapped(file_summary(), width, 0, 0) + "\n" : std::string{};
  for (const auto& key : manual_keys()) {
    if (!below.empty() && key.path != below && !key.path.starts_with(below + '.'))
      continue;
    const auto kind = kind_text(key);
    result += '\n' + wrapped(key.path + (kind.empty() ? "" : " (" + kind + ')'), width, 4, 0) + "\n    " +
              wrapped(key.text, width, 4, 4) + '\n';
  }
  return result;
}

const help_topic* find_topic(const std::string& name) {
  const auto topics = help_topics();
  const auto found = std::ranges::find(topics, name, &help_topic::name);
  return found == topics.end() ? nullptr : &*found;
}

std::string list_of_topics() {
  std::string result = "\nMore pages: troupe help " + std::string{file_topic};
  for (const auto& topic : help_topics())
    result += '|' + std::string{topic.name};
  return result + '\n';
}

[[noreturn]] void refuse_topic(const help_command& asked, const command_text& program) {
  std::vector<std::string_view> names{file_topic};
  for (const auto& command : program.commands)
    names.push_back(std::string_view{command.name}.substr(program.name.size() + 1));
  for (const auto& topic : help_topics())
    names.push_back(topic.name);
  const std::string near{nearest(asked.words.front(), names)};
  throw CLI::ValidationError("help", "there is no page '" + CLI::detail::join(asked.words, " ") + "'" +
                                         (near.empty() ? ", see troupe help" : ", did you mean '" + near + "'?"));
}

void print_topic(const help_command& asked, const command_text& program) {
  if (asked.words.empty()) {
    print_page(program);
    std::cout << list_of_topics();
  } else if (const auto* const command = find_command(program, asked.words)) {
    print_page(*command);
  } else if (const auto* const topic = asked.words.size() == 1 ? find_topic(asked.words[0]) : nullptr) {
    std::cout << topic->text;
  } else {
    const auto keys = asked.words[0] == file_topic && asked.words.size() < 3
                          ? file_text_page(asked.words.size() == 2 ? asked.words[1] : "")
                          : std::string{};
    if (keys.empty())
      refuse_topic(asked, program);
    std::cout << keys;
  }
}

} // namespace

void add_help(CLI::App& app, help_command& typed) {
  auto& help = *app.add_subcommand("help", "Tell of a command, or of a topic");
  help.add_option("topic", typed.words,
                  "A command, or config, paths, clients, times, migrate, environment, signals, "
                  "status; of config also a key, such as gateway")
      ->type_name("TOPIC");
  help.add_option("--man", typed.manual, "Print a page of the manual, in its format")
      ->check(must_be_one_of({"troupe", "troupe.json"}))
      ->type_name("troupe|troupe.json");
  app.add_subcommand("completion", "Print a script by which a shell completes Troupe's command line")
      ->add_option("shell", typed.shell, "The shell")
      ->check(must_be_one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish")
      ->required();
}

void print_help(const help_command& asked, const command_text& program) {
  if (!asked.shell.empty())
    std::cout << (asked.shell == "bash"  ? bash_completion(program)
                  : asked.shell == "zsh" ? zsh_completion(program)
                                         : fish_completion(program));
  else if (!asked.manual.empty())
    std::cout << (asked.manual == "troupe" ? program_page(program, TROUPE_VERSION) : file_page(TROUPE_VERSION));
  else
    print_topic(asked, program);
}

void print_page(const command_text& command) { std::cout << help_text(command, page_width()); }

} // namespace troupe::deploy
