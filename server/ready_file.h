#pragma once

#include <string>

#include "core/result.h"
#include "server/config.h"

namespace schedlab::server {

// What a waiting process wants to know of a server that has begun to serve.
struct ReadyNote {
  Address grpc_address;
  Address http_address;
  int process_id = 0;
};

// {"grpc_address":"127.0.0.1:7450","http_address":"127.0.0.1:8450","process_id":1}
std::string ToJson(const ReadyNote& note);

// Writes the note so that nobody sees half of it. kUnavailable where the file cannot be written.
Status WriteReadyFile(const std::string& path, const ReadyNote& note);

}  // namespace schedlab::server
