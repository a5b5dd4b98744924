#include "deploy/program/cli.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/help/command_text.hpp"
#include "deploy/help/completion.hpp"
#include "deploy/help/help_text.hpp"
#include "deploy/help/manual.hpp"
#include "deploy/operator/terminal.hpp"
#include "deploy/program/connect.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/foreign_flags.hpp"
#include "deploy/program/operator_flags.hpp"
#include "deploy/program/serve_flags.hpp"
#include "deploy/program/shell_words.hpp"
#include "protocol/access/credentials.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Arguments of `troupe help` and `troupe completion`.
struct help_command {
  /// Command, or name of a topic; the program's own page when empty.
  std::vector<std::string> words;
  /// Page of the manual to print in its own format.
  std::string manual;
  /// Shell to print a completion script for; `help` when empty.
  std::string shell;
};

constexpr std::size_t narrowest = 60;
constexpr std::size_t widest = 100;
constexpr auto file_topic = "config";

std::size_t page_width() {
  const auto columns = size_of_stdout().columns;
  return columns == 0 ? widest : std::clamp(columns, narrowest, widest);
}

// Prints the page of a command on stdout, as wide as the terminal, or 100 characters.
void print_page(const command_text& command) { std::cout << help_text(command, page_width()); }

/// Formats the keys below a key, such as `gateway` or `mcpServers`; all keys when it is empty.
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

// Adds both commands. Parsing writes to `typed`.
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

// Prints the page or script. Throws CLI11's `ValidationError` when there is no such page.
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

constexpr int usage_error = 2;
constexpr auto version = "troupe " TROUPE_VERSION TROUPE_LEFT_OUT;

finished refuse(std::string why) {
  std::replace_if(
      why.begin(), why.end(), [](unsigned char c) { return c < ' '; }, ' '); // a single line for any input
  std::cerr << "troupe: " << why << '\n';
  return {usage_error};
}

/// Error for a secret in a wrong place, for instance after missing quotes: the secret is not repeated.
constexpr const char* misplaced_secret =
    "a key or token stands where none belongs: troupe check --as - reads one from stdin";

/// Returns the innermost command that was typed; the program itself when there is none.
const CLI::App& typed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : typed_command(*parsed.front());
}

/// Returns the flag or command that is spelled similarly, or begins with `typed`.
std::string meant_by(const std::string& typed, const std::vector<std::string>& names) {
  std::string near{nearest(typed, {names.begin(), names.end()})};
  if (!near.empty())
    return near;
  const auto found = std::ranges::find_if(names, [&](const auto& name) { return name.starts_with(typed); });
  return found == names.end() ? std::string{} : *found;
}

finished refuse_flag(const std::string& word, const CLI::App& command) {
  const auto flag = word.substr(0, word.find('='));
  std::vector<std::string> flags;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames())
      flags.push_back("--" + name);
  const auto meant = meant_by(flag, flags);
  const auto see = ", see troupe " + (command.get_parent() ? command.get_name() + ' ' : "") + "--help";
  return refuse("unknown flag " + flag + (meant.empty() ? see : ", did you mean " + meant + '?'));
}

finished refuse_command(const std::string& word, const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const auto near = meant_by(word, names);
  return refuse("unknown command '" + word + '\'' +
                (near.empty() ? ", see troupe --help; a server's command goes behind --: troupe serve -- " + word
                              : ", did you mean " + near + '?'));
}

/// Refuses words that CLI11 did not parse: an unknown flag, or the server's command without `--` before it.
finished refuse_extras(const CLI::App& app) {
  const auto first = app.remaining(true).front();
  const auto& command = typed_command(app);
  if (protocol::looks_like_credentials(first))
    return refuse(misplaced_secret);
  if (first.starts_with('-'))
    return refuse_flag(first, command);
  if (&command == &app)
    return refuse_command(first, app);
  const auto& name = command.get_name();
  return refuse("unexpected '" + first + "'" +
                (name == "serve" ? ": the server's command goes behind --" : ", see troupe " + name + " --help"));
}

/// Declarations of all commands and flags, with their values.
struct command_line {
  command_line() {
    app.set_version_flag("--version", version);
    app.require_subcommand(0, 1);
    for (auto* one : {serve, check})
      one->set_version_flag("--version", version)->group("Options");
    add_operator_commands(app, operators);
    add_help(app, help);
  }

  CLI::App app{"Troupe serves MCP servers to many clients over Streamable HTTP and HTTP+SSE.", "troupe"};
  serve_flag_values serve_flags;
  check_flag_values check_flags;
  key_flag_values key_flags;
  connect_flag_values connect_flags;
  import_command imported;
  init_command begun;
  operator_flag_values operators;
  help_command help;
  CLI::App* const serve = &add_serve(app, serve_flags);
  CLI::App* const connect = &add_connect(app, connect_flags);
  CLI::App* const check = &add_check(app, check_flags);
  CLI::App* const import = &add_import(app, imported);
  CLI::App* const init = &add_init(app, begun);
  CLI::App* const key = &add_key(app, key_flags);
  CLI::App* const example =
      app.add_subcommand("example-server", "Be a small MCP server on stdin and stdout, to try things");
};

command parsed_command(command_line& typed, parted_line line) {
  typed.app.parse(std::vector(line.flags.rbegin(), line.flags.rend())); // CLI11 takes the last word first
  if (line.dashes && !typed.serve->parsed() && !typed.init->parsed())
    return refuse("behind -- stands the command of a server, which only troupe serve and troupe init take");
  if (auto asked = operator_command_of(typed.operators))
    return std::move(*asked);
  if (typed.example->parsed())
    return example_server_command{};
  if (typed.connect->parsed())
    return connect_command_of(std::move(typed.connect_flags));
  if (typed.import->parsed())
    return std::move(typed.imported);
  if (typed.init->parsed()) {
    typed.begun.server = std::move(line.server);
    return std::move(typed.begun);
  }
  if (typed.key->parsed())
    return new_key_command_of(std::move(typed.key_flags));
  if (typed.check->parsed() && typed.check_flags.command.config.empty())
    return refuse("name the file to check: troupe check FILE, or check --config FILE");
  if (protocol::looks_like_credentials(typed.check_flags.command.config))
    return refuse(misplaced_secret);
  if (typed.check->parsed())
    return check_command_of(*typed.check, std::move(typed.check_flags));
  if (typed.serve->parsed())
    return serve_command_of(*typed.serve, std::move(typed.serve_flags), std::move(line));
  if (typed.app.get_subcommands().empty())
    return refuse("say what to do: troupe serve, connect, check, import, init, key or example-server, or a command for "
                  "operators, see troupe --help");
  print_help(typed.help, read_commands(typed.app));
  return finished{};
}

} // namespace

command parse(int argc, const char* const* argv) {
  command_line typed;
  auto line = part({argv + 1, argv + argc});
  auto own = translate_flags(std::move(line.flags), line.dashes);
  if (!own.problem.empty())
    return refuse(own.problem);
  line.flags = std::move(own.words);
  try {
    return parsed_command(typed, std::move(line));
  } catch (const CLI::CallForHelp&) {
    std::vector<std::string> words;
    for (const auto* command = &typed_command(typed.app); command->get_parent(); command = command->get_parent())
      words.insert(words.begin(), command->get_name());
    print_page(*find_command(read_commands(typed.app), words));
    return finished{};
  } catch (const CLI::Success& done) {
    return finished{typed.app.exit(done)};
  } catch (const CLI::ExtrasError&) {
    return refuse_extras(typed.app);
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
}

} // namespace troupe::deploy
