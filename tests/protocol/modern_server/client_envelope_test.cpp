// The client's description in requests to a 2026-07-28 server.

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::client_envelope_test {

TEST(client_envelope, is_not_what_a_request_has_in_other_letters) {
  server_as_legacy_driver t;
  t.opened();
  const std::string other = R"("RequestState":"x","InputResponses":{"q":{"roots":[]}},"Task":{},"_META":{})";
  const std::string meta = R"({"b":2,"io.modelcontextprotocol/ClientCapabilities":{"roots":{}}})";
  EXPECT_EQ(t.user(request("7", "tools/call", R"({"name":"n",)" + other + R"(,"_meta":)" + meta + "}")),
            adapter_effects{asks(enveloped("1", "tools/call", R"(,"name":"n")", R"(,"b":2)"))});
}

} // namespace troupe::tests::client_envelope_test
