// A host whose gateway is a cluster node, in an actor system of its own. It serves handlers, an actor that all
// sessions of the node share, and a local server. Its interface is that of `troupe serve`: some of the flags, JSON logs
// on stderr with the URL, and shutdown by SIGTERM. usage: cluster_host --node NAME --port N --cluster-listen HOST:PORT
// --cluster-key FILE --heartbeat SECONDS [--join HOST:PORT,…] [--store URL] -- PROGRAM [ARGUMENT…]

#include <troupe/caf.hpp>
#include <troupe/server.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>
#include <unistd.h>

namespace {

namespace json = troupe::json;

struct command_line {
  command_line(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto end = std::find(words.begin(), words.end(), "--");
    for (auto word = words.begin(); word != end; ++word)
      if (word->starts_with("--") && word + 1 != end)
        flags[word->substr(2)] = word[1];
    program.assign(end + 1, words.end());
  }

  std::map<std::string, std::string> flags;
  std::vector<std::string> program;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream rest{list};
  for (std::string one; std::getline(rest, one, ',');)
    result.push_back(one);
  return result;
}

std::uint16_t port_of(const std::string& text) {
  return static_cast<std::uint16_t>(std::stoul(text.substr(text.rfind(':') + 1)));
}

troupe::cluster_options cluster_of(std::map<std::string, std::string> flags) {
  troupe::cluster_options result;
  result.name = flags.at("node");
  result.port = port_of(flags.at("cluster-listen"));
  result.join = split(flags["join"]);
  result.key_file = flags.at("cluster-key");
  result.heartbeat = std::chrono::seconds{std::stoi(flags.at("heartbeat"))};
  result.store = flags["store"];
  return result;
}

/// Returns the name of its node, and announces a change of its only resource.
std::shared_ptr<troupe::server> notes(const std::string& node) {
  auto result = std::make_shared<troupe::server>(troupe::server_info{.name = "notes"});
  result->resource({.uri = "notes://one", .name = "one"}, [](const std::string&) { return troupe::text("a note"); });
  result->tool({.name = "where"}, [node](const json::object&) { return troupe::text(node); });
  result->tool({.name = "change"}, [to = result.get()](const json::object&) {
    to->updated("notes://one");
    return troupe::text("changed");
  });
  return result;
}

json::object answer_of(std::string_view method, int& counted) {
  if (method == "initialize")
    return {{"protocolVersion", "2025-11-25"},
            {"capabilities", {{"tools", json::object{}}}},
            {"serverInfo", {{"name", "counter"}, {"version", "1"}}}};
  if (method == "tools/list")
    return {{"tools", json::array{{{"name", "count"}, {"inputSchema", {{"type", "object"}}}}}}};
  if (method == "tools/call")
    return {{"content", json::array{{{"type", "text"}, {"text", std::to_string(++counted)}}}}};
  return {};
}

/// Counts the calls of all its clients.
troupe::mcp_server::behavior_type counter(troupe::mcp_server::pointer self, int counted) {
  return {
      [](const troupe::session_begun&) {},
      [self, counted](const troupe::client_said& msg) mutable {
        const auto said = json::parse(msg.text).as_object();
        if (!said.contains("id"))
          return;
        const json::object answer{
            {"jsonrpc", "2.0"}, {"id", said.at("id")}, {"result", answer_of(said.at("method").as_string(), counted)}};
        self->send(msg.client, troupe::server_said{json::serialize(answer)});
      },
      [self](const troupe::session_ended&) { self->quit(); },
  };
}

void say(const json::object& what) { std::cerr << json::serialize(what) + '\n' << std::flush; }

void log(const troupe::log_record& event) {
  json::object line{{"msg", event.text}};
  for (auto& [name, value] : event.fields)
    line[name] = value;
  say(line);
}

std::vector<troupe::server_options> servers_of(const std::string& node, std::vector<std::string> program) {
  auto make = [](caf::actor_system& where) -> troupe::mcp_server { return where.spawn(counter, 0); };
  return {{"notes", troupe::hosted(notes(node))},
          {"counter", troupe::spawned(make), troupe::sharing::shared},
          {"program", troupe::command_server{program.front(), {program.begin() + 1, program.end()}}}};
}

void serve(const command_line& given) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);

  troupe::gateway_options options;
  options.cluster = cluster_of(given.flags);
  options.port = port_of(given.flags.at("port"));
  options.servers = servers_of(options.cluster->name, given.program);
  if (!options.cluster->store.empty())
    for (auto& server : options.servers)
      server.recovery = troupe::recovery::restore;
  options.list_patience = std::chrono::minutes{1}; // a loaded machine starts a program slowly
  options.debug_state = true;
  options.log = log;

  caf::actor_system_config config;
  troupe::configure(config, *options.cluster);
  caf::actor_system system{config};
  troupe::gateway gateway{system, std::move(options)};
  say({{"url", "http://127.0.0.1:" + std::to_string(gateway.port()) + "/mcp"}});
  int signal = 0;
  sigwait(&stops, &signal);
  gateway.stop();
}

} // namespace

int main(int argc, char** argv) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO); // merges both outputs, so that the log has everything
  try {
    serve({argc, argv});
    return 0;
  } catch (const std::exception& why) {
    std::cerr << why.what() << '\n';
    return 1;
  }
}
