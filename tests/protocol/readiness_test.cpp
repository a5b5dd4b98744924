#include "protocol/readiness.hpp"

#include "protocol/rejection.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::readiness_test {

using namespace protocol;

TEST(readiness, names_each_reason_in_the_order_in_which_they_are_told) {
  auto seen = not_ready({gateway_drains(), {"server", "a", "it does not start"}});
  EXPECT_EQ(seen.status, 503);
  EXPECT_EQ(seen.headers, gateway_stops().headers);
  EXPECT_EQ(seen.body, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,)"
                       R"("message":"Service Unavailable: the gateway is stopping"},"status":"unready","reasons":[)"
                       R"({"what":"gateway","why":"it is draining"},)"
                       R"({"what":"server","name":"a","why":"it does not start"}]})");
}

TEST(readiness, tells_in_its_error_what_is_the_first_reason) {
  EXPECT_EQ(not_ready({{"server", "a", "x"}, {"server", "b", "y"}}).text,
            "Service Unavailable: a server that is essential is not ready: a");
  EXPECT_EQ(not_ready({nodes_missing(true), {"server", "b", "y"}}).text,
            "Service Unavailable: the nodes of the cluster are still looking for each other");
}

TEST(readiness, tells_nodes_that_are_lost_from_those_that_are_not_known_yet) {
  EXPECT_EQ(nodes_missing(true).why, "this node has lost the others");
  EXPECT_EQ(nodes_missing(false).why, "this node looks for the others");
}

TEST(readiness, escapes_names_and_reasons) {
  EXPECT_NE(not_ready({{"server", "\"\n", "</script>"}}).body.find(R"("name":"\"\n","why":")"), std::string::npos);
}

} // namespace troupe::tests::readiness_test
