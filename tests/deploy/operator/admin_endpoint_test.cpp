#include "deploy/operator/admin_endpoint.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::admin_endpoint_test {

using namespace deploy;

TEST(admin_endpoint, is_a_url_or_a_unix_socket) {
  EXPECT_EQ(read_admin_endpoint("http://127.0.0.1:9464")->url, "http://127.0.0.1:9464");
  EXPECT_EQ(read_admin_endpoint("http://[::1]:9464/")->url, "http://[::1]:9464");
  EXPECT_EQ(read_admin_endpoint("http://proxy/troupe/")->url, "http://proxy/troupe");
  EXPECT_EQ(read_admin_endpoint("http://proxy")->socket_path, "");
  const auto socket = read_admin_endpoint("unix:/run/troupe/admin.sock");
  EXPECT_EQ(socket->name, "unix:/run/troupe/admin.sock");
  EXPECT_EQ(socket->url, "http://localhost");
  EXPECT_EQ(socket->socket_path, "/run/troupe/admin.sock");
}

TEST(admin_endpoint, is_nothing_else) {
  for (const auto* text : {"", "unix:", "127.0.0.1:9464", "https://127.0.0.1:9464", "http://", "http://a:0",
                           "http://a/?b=c", "http://user@host:1", "ftp://host"})
    EXPECT_FALSE(read_admin_endpoint(text)) << text;
}

} // namespace troupe::tests::admin_endpoint_test
