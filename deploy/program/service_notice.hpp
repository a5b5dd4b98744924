#pragma once

#include <string>
#include <sys/types.h>

namespace troupe::deploy {

// Tells who started this process how it goes, when he wants to know: sd_notify(3), a datagram to the socket that
// NOTIFY_SOCKET names. systemd does for a unit of `Type=notify`. What cannot be told is not told.

/// It serves from now on; `status` is a line for people.
void notice_ready(const std::string& status);
/// It reads its configuration again; `notice_ready` tells when it has.
void notice_reloading();
void notice_stopping(const std::string& status);
/// That process is what there is to look after from now on; only this one may say so.
void notice_main_process(pid_t process);
/// It goes on as it is.
void notice_status(const std::string& status);

} // namespace troupe::deploy
