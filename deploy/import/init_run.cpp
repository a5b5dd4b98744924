#include "deploy/import/init_run.hpp"

#include "deploy/import/first_file.hpp"
#include "deploy/import/new_file.hpp"
#include "deploy/log/log_line.hpp"

#include <iostream>

namespace troupe::deploy {

namespace {

constexpr auto what_next = R"(
Then give clients the URL http://127.0.0.1:8080/mcp:
  Claude Code    claude mcp add --transport http troupe http://127.0.0.1:8080/mcp
  VS Code        "servers": {"troupe": {"type": "http", "url": "http://127.0.0.1:8080/mcp"}}
  others         "mcpServers": {"troupe": {"url": "http://127.0.0.1:8080/mcp"}}
)";

} // namespace

int run_init(const init_command& command) {
  const auto program = own_program();
  const auto is_example = command.server.empty();
  const auto server = is_example ? std::vector<std::string>{program, "example-server"} : command.server;
  const auto name = is_example ? "example" : name_of_command(server);
  if (const auto why_not = write_new_file(command.file, first_file(schema_place(), name, server)); !why_not.empty()) {
    std::cerr << "troupe: " << escaped(command.file) << ' ' << why_not << '\n';
    return 1;
  }
  const auto file = escaped(command.file);
  std::cout << file << " is written, with the server `" << escaped(name) << "`; only you can read it.\n\n"
            << "Look it over, and serve it:\n  " << program << " check " << file << "\n  " << program
            << " serve --config " << file << " --watch\n"
            << what_next;
  return 0;
}

} // namespace troupe::deploy
