#include "protocol/options/server_rules.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::server_rules_test {

using namespace protocol;

TEST(server_rules, know_the_name_of_an_environment_variable) {
  for (const auto& name : {std::string("A"), std::string("a b"), std::string("é")})
    EXPECT_TRUE(is_variable_name(name)) << name;
  for (const auto& name : {std::string(), std::string("="), std::string("A="), std::string("A\0B", 3)})
    EXPECT_FALSE(is_variable_name(name)) << name;
}

} // namespace troupe::tests::server_rules_test
