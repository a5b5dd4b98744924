// A project that uses the installed library with actors of its own.

#include <troupe/caf.hpp>

int main() {
  caf::actor_system_config config;
  troupe::configure(config);
  caf::actor_system system{config};
  troupe::gateway_options options;
  options.port = 0;
  troupe::gateway gateway{system, options};
  caf::scoped_actor self{system};
  self->monitor(troupe::root_of(gateway));
  gateway.drain();
  self->receive([](const caf::down_msg&) {});
}
