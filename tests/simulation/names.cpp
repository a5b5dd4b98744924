#include "tests/simulation/names.hpp"

#include "tests/simulation/world.hpp"

namespace troupe::tests::simulation {

template <>
const std::vector<std::string_view>& names<fault_kind>() {
  static const std::vector<std::string_view> result{"break_link",
                                                    "one_way_partition",
                                                    "partition",
                                                    "pause",
                                                    "suspend",
                                                    "kill",
                                                    "power_loss",
                                                    "slow_network",
                                                    "drift",
                                                    "break_store_line",
                                                    "store_hangs",
                                                    "store_is_emptied",
                                                    "store_goes_back",
                                                    "store_fails_over",
                                                    "store_goes_back_twice",
                                                    "store_is_restored",
                                                    "restart",
                                                    "rolling_restart",
                                                    "hand_over"};
  return result;
}

template <>
const std::vector<std::string_view>& names<rule>() {
  static const std::vector<std::string_view> result{
      "one_owner",      "own_answers_only", "one_answer_each", "stays_ended", "each_event_once",
      "known_when_404", "bounded",          "settles",         "survives",    "lost_only_if_run",
      "runs_once",      "kept_at_handover", "always_served",   "one_lease"};
  return result;
}

template <>
const std::vector<std::string_view>& names<planted>() {
  static const std::vector<std::string_view> result{"nothing",
                                                    "fence_left_out",
                                                    "tenure_kept",
                                                    "tenure_unchecked",
                                                    "owner_unchecked",
                                                    "event_twice",
                                                    "resumed_from_start",
                                                    "answer_twice",
                                                    "answer_misdirected",
                                                    "answer_left_out",
                                                    "record_kept",
                                                    "end_confirmed_early",
                                                    "dropped_at_end",
                                                    "record_late",
                                                    "exchange_kept",
                                                    "member_kept",
                                                    "refused_after_run",
                                                    "question_answered_twice",
                                                    "suspension_ignored",
                                                    "two_accept",
                                                    "loss_unnoticed",
                                                    "left_early",
                                                    "placed_here",
                                                    "lease_of_all",
                                                    "lease_kept",
                                                    "unread_kept"};
  return result;
}

void print_known(const run_setup& setup, const fault_plan& plan, rule broken, std::ostream& out) {
  out << "    {\"WHAT IT SHOWS\",\n     rule::" << name_of(broken) << ",\n     {.seed = " << setup.seed
      << ", .hosts = " << setup.hosts << ", .clients = " << setup.clients;
  if (setup.stateless != 0)
    out << ", .stateless = " << setup.stateless;
  if (!setup.has_store)
    out << ", .has_store = false";
  if (setup.joins_one)
    out << ", .joins_one = true";
  if (setup.remembers)
    out << ", .remembers = true";
  out << ", .heartbeat = " << setup.heartbeat.count() << "ms";
  if (setup.habits.stalls != 0)
    out << ", .habits = {.stalls = " << setup.habits.stalls << "}";
  out << "},\n     {";
  for (auto& one : plan)
    out << "{" << one.at / 1ms << "ms, fault_kind::" << name_of(one.is) << ", " << one.one << ", " << one.other << ", "
        << one.lasts / 1ms << "ms},\n      ";
  out << "}},\n";
}

} // namespace troupe::tests::simulation
