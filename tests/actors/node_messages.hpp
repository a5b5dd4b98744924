#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

// The bytes of the messages between nodes in version 8, with the names of their types. Letters, digits and punctuation
// are literal, other bytes are two digits. Line breaks are not part of the bytes. Used by `node_messages_suite.cpp`.

inline const std::vector<std::pair<std::string, std::string>> pinned_messages{
    {"peer_hello", R"(
\00\00\16@<>+troupe::peer_hello\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\09node:7946\01\02\0d10.0.0.1:7946\0d10.0.0.2
:7946\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\0f\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\0f)"},
    {"relay_request full", R"(
\00\00\19@<>+troupe::relay_request\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\00\01a
\01s\05t-1-2\03\00\00\00\00U{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"progressToken":6}}
}\015\0atools/call\016\01\00\00\00\00\00\00\00\15\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00N\00\00\00\00\00
\00\00\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\02\00\00\00\00\00\00\00\03\01\01\08vendor=1\03k=v\01\0810
.0.0.1\0a2026-07-28\00\00\00\013{"jsonrpc":"2.0","method":"notifications/progress"}\00\16notifications/progress
\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00
\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\02${"jsonrpc":"2.0
","id":7,"result":{}}\017\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00
\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00
\01\00\00\00\02\01\0ehttps://issuer\03ann\03app\02\04read\05write\01\05staff\07{"a":1}\01\0chttps://here\00\00
\00\00kI\d2\00\0810.0.0.1\0a2026-07-28\01\00\01\00\01\01\00\00\00\07\02\06Region\02eu\04Kind\01b\06handle\01\05t
oken)"},
    {"relay_request empty", R"(
\00\00\19@<>+troupe::relay_request\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00
\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\02{}\00\ff\ff\ff\ff\ff\ff\ff\ff\00\00\00\00\00\00\00\00\ff
\ff\ff\ff\00\00\00\00)"},
    {"relay_request post", R"(
\00\00\19@<>+troupe::relay_request\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\00\01a
\01s\05t-1-2\00\00\00\00\00\00\00\0ehttps://issuer\03ann\03app\02\04read\05write\01\05staff\07{"a":1}\01\0chttps
://here\00\00\00\00kI\d2\00\0810.0.0.1\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00)"},
    {"relay_request listen", R"(
\00\00\19@<>+troupe::relay_request\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\01\01a
\01s\05t-1-2\00\00\00\00\00\00\00\0ehttps://issuer\03ann\03app\02\04read\05write\01\05staff\07{"a":1}\01\0chttps
://here\00\00\00\00kI\d2\00\0810.0.0.1\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00)"},
    {"relay_request end", R"(
\00\00\19@<>+troupe::relay_request\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\02\01a
\01s\05t-1-2\00\00\00\00\00\00\00\0ehttps://issuer\03ann\03app\02\04read\05write\01\05staff\07{"a":1}\01\0chttps
://here\00\00\00\00kI\d2\00\0810.0.0.1\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00)"},
    {"relay_request operate", R"(
\00\00\19@<>+troupe::relay_request\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\03\01a
\01s\05t-1-2\00\00\00\00\00\00\00\0ehttps://issuer\03ann\03app\02\04read\05write\01\05staff\07{"a":1}\01\0chttps
://here\00\00\00\00kI\d2\00\0810.0.0.1\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00)"},
    {"relay_taken", R"(
\00\00\17@<>+troupe::relay_taken\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08\00\00\00\00\00\00
\10\00)"},
    {"relay_closed", R"(
\00\00\18@<>+troupe::relay_closed\11"3DUfw\88\99\aa\bb\cc\dd\ee\ff\00\01\02\03\04\05\06\07\08)"},
    {"session_taken", R"(
\00\00\19@<>+troupe::session_taken\01s)"},
    {"relay_answer reply", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\00\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer accepted", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\01\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer ended", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\02\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer rejected", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\03\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer begin", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\04\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer event", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\05\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer end", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\06\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
    {"relay_answer lost", R"(
\00\00\18@<>+troupe::relay_answer\01\02\03\04\05\06\07\08\00\00\00\07\04text\01s\00\00\01\f7\ff\ff\80\a5\07why
\20not\015\02\0bRetry-After\011\05Allow\03GET\07{"b":1}\06-32603\01a\01\02\03\04\05\06\07\08)"},
};

/// The interfaces of a gate and a router, by the type names that CAF sends to other nodes.
inline const std::string pinned_interfaces = "caf::replies_to<troupe::peer_hello>::with<void>\n"
                                             "caf::replies_to<troupe::relay_closed>::with<void>\n"
                                             "caf::replies_to<troupe::relay_request>::with<void>\n"
                                             "caf::replies_to<troupe::relay_taken>::with<void>\n"
                                             "caf::replies_to<troupe::session_taken>::with<void>\n"
                                             "caf::replies_to<troupe::relay_answer>::with<void>\n";

/// The keys that nodes derive from the cluster key for links, cursors and session ids.
inline const std::string pinned_keys = "5bdb315f4c03e304439d974611b43a53\n"
                                       "9f0c985354bb6070e0056a7d401f7367\n"
                                       "39f79a84a132c9665c0d5e7fad7805cf";

} // namespace troupe::tests
