#include "protocol/http/known_paths.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::metadata_path_test {

using namespace protocol;

// RFC 9728, 3.1
TEST(metadata_path, is_at_a_path_of_each_endpoint_and_at_the_root) {
  EXPECT_EQ(metadata_path("/mcp"), "/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(endpoint_of_metadata("/.well-known/oauth-protected-resource/servers/a/mcp"), "/servers/a/mcp");
  EXPECT_EQ(endpoint_of_metadata("/.well-known/oauth-protected-resource"), "/mcp");
  EXPECT_EQ(endpoint_of_metadata("/.well-known/oauth-protected-resources"), "");
  EXPECT_EQ(endpoint_of_metadata("/mcp"), "");
}

} // namespace troupe::tests::metadata_path_test
