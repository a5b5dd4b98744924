#include "deploy/import/import_flags.hpp"

namespace troupe::deploy {

namespace {

constexpr auto import_usage = R"(
What is found, left out or renamed is told on stderr; the file goes to stdout:
  troupe import > mcp.json
  troupe import ~/.cursor/mcp.json .vscode/mcp.json > mcp.json
)";

constexpr auto init_usage = R"(
A server's command line behind -- stands in the file instead of the example:
  troupe init
  troupe init mcp.json -- npx -y @modelcontextprotocol/server-everything
)";

} // namespace

CLI::App& add_import(CLI::App& app, import_command& command) {
  auto& result = *app.add_subcommand("import", "Make one file of those that MCP clients have, to serve their servers");
  result.footer(import_usage);
  result.add_option("file", command.files, "Files of clients (default: all that are found on this machine)")
      ->type_name("FILE...");
  auto* const list = result.add_flag("--list", command.list, "Only list the files that are found, and their servers");
  result
      .add_option("--extract-secrets", command.secrets,
                  "New file that takes the values that look secret, as lines MCP_SERVER_NAME='value'")
      ->type_name("FILE")
      ->excludes(list);
  return result;
}

CLI::App& add_init(CLI::App& app, init_command& command) {
  auto& result = *app.add_subcommand("init", "Write a first configuration file");
  result.footer(init_usage);
  result.add_option("file", command.file, "The file, which must not be there yet")
      ->type_name("FILE")
      ->capture_default_str();
  return result;
}

} // namespace troupe::deploy
