#include "tests/simulation/common_world.hpp"

#include "protocol/cluster/tenure.hpp"

#include <utility>

namespace troupe::tests::simulation {

common_world::common_world(const run_setup& setup, fault_plan plan, const parts& own)
    : setup_{setup}, plan_{std::move(plan)}, time_{setup.seed}, log_{time_, setup.tolerated}, net_{time_, own.silence},
      model_{time_, log_, own.store, own.patience}, around_{time_,           log_,          model_,     net_, own.store,
                                                            setup.heartbeat, setup.servers, setup.wrong},
      begun_{time_.now()}, clients_{time_, log_, model_, *this}, stateless_{time_,           log_,      model_, *this,
                                                                            setup.stateless, setup.seed} {}

run_result common_world::run() {
  begin();
  time_.run_until(begun_ + setup_.time);
  log_.note("FAULT", "all faults end");
  heal();
  clients_.rest();
  stateless_.rest();
  time_.run_until(time_.now() + setup_.settle + protocol::tenure::untold_for(setup_.heartbeat));
  if (log_.is_good()) {
    expect_nodes();
    clients_.expect_answers();
    stateless_.expect_answers();
    clients_.probe(places());
    stateless_.probe(places().size());
    time_.run_until(time_.now() + 10s);
    clients_.leave();
    stateless_.expect_one_lease();
    stateless_.leave();
    time_.run_until(time_.now() + 2s);
    clients_.expect_probed();
    expect_empty();
  }
  log_.count("sessions", model_.sessions());
  log_.count("messages between nodes", net_.messages());
  return {log_.is_good(), log_.broken_rule(), log_.violation(), log_.digest(), time_.steps(), log_.counts()};
}

} // namespace troupe::tests::simulation
