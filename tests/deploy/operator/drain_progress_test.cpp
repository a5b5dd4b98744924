#include "deploy/operator/drain_watch.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace troupe::tests::drain_progress_test {

using namespace deploy;

namespace {

using state = drain_progress::state;

boost::json::value node(const std::string& more, int uptime = 1, int pid = 7) {
  return boost::json::parse(R"({"pid":)" + std::to_string(pid) + R"(,"uptime_ms":)" + std::to_string(uptime) +
                            R"(,"sessions":3,"leases":1,)" + more + "}");
}

boost::json::value moving() {
  return node(R"("draining":true,"drain":{"rate":"20/s","to_move":12,"moved":88,"stay":3,"calls":2})");
}

} // namespace

TEST(drain_progress, is_told_in_a_line) {
  drain_progress it;
  EXPECT_EQ(it.update(moving()), state::moving);
  EXPECT_EQ(it.text(), "to move 12, moved 88, stay 3, calls 2");
  EXPECT_EQ(it.json(), R"({"state":"moving","drain":{"rate":"20/s","to_move":12,"moved":88,"stay":3,"calls":2}})");
  EXPECT_EQ(it.update(node(R"("draining":true)")), state::ending);
  EXPECT_EQ(it.text(), "it ends: sessions 3, leases 1");
  EXPECT_EQ(it.json(), R"({"state":"ending","sessions":3,"leases":1})");
}

TEST(drain_progress, ends_when_no_answer_comes_any_more) {
  drain_progress it;
  it.update(moving());
  EXPECT_EQ(it.update({}), state::moving);
  EXPECT_EQ(it.update({}), state::moving);
  EXPECT_EQ(it.update(moving()), state::moving) << "it was busy";
  it.update({});
  it.update({});
  EXPECT_EQ(it.update({}), state::ended);
  EXPECT_EQ(it.text(), "it has ended");
  EXPECT_EQ(it.json(), R"({"state":"ended"})");
}

TEST(drain_progress, ends_when_another_process_answers) {
  drain_progress it;
  it.update(node(R"("draining":true)", 5000));
  EXPECT_EQ(it.update(node(R"("draining":false)", 6000, 8)), state::ended);
  drain_progress in_container;
  in_container.update(node(R"("draining":true)", 5000));
  EXPECT_EQ(in_container.update(node(R"("draining":false)", 10)), state::ended) << "of the same number";
}

TEST(drain_progress, tells_that_the_gateway_stays) {
  drain_progress it;
  it.update(moving());
  EXPECT_EQ(it.update(node(R"("draining":false)")), state::stays);
  EXPECT_EQ(it.text(), "it stays");
}

} // namespace troupe::tests::drain_progress_test
