#include "deploy/example/example_server.hpp"
#include "deploy/import/import_run.hpp"
#include "deploy/import/init_run.hpp"
#include "deploy/operator/operator_command.hpp"
#include "deploy/program/check.hpp"
#include "deploy/program/cli.hpp"
#include "deploy/program/connect.hpp"
#include "deploy/program/handed_over.hpp"
#include "deploy/program/new_key.hpp"
#include "deploy/program/own_process.hpp"
#include "deploy/program/serve.hpp"

#include <iostream>
#include <stdexcept>
#include <utility>
#include <variant>

namespace {

using namespace troupe::deploy;

int run(serve_command& command) { return serve(std::move(command)); }
int run(check_command& command) { return check(command); }
int run(new_key_command& command) { return make_key(std::move(command)); }
int run(example_server_command&) { return run_example_server(); }
int run(import_command& command) { return run_import(command); }
int run(init_command& command) { return run_init(command); }
int run(connect_command& command) { return run_connect(command); }
int run(operator_command& command) { return run_operator(command); }
int run(finished& done) { return done.status; }

} // namespace

/// Options of jemalloc: few arenas, since few threads allocate. Unused memory soon goes back to the system; a
/// background thread does so even without allocations.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true,max_background_threads:1";
}

int main(int argc, char** argv) {
  end_by_signals_if_first();
  try {
    take_handed_environment();
  } catch (const std::runtime_error& error) {
    std::cerr << "troupe: " << error.what() << '\n';
    return 2;
  }
  auto command = parse(argc, argv);
  return std::visit([](auto& what) { return run(what); }, command);
}
