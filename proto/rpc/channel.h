#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

namespace schedlab::rpc {

struct ChannelOptions {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  std::int32_t max_message_bytes = 0;  // 0 = kMaxMessageBytes
};

// A channel to "host:port" or "unix:/path" that notices a dead peer within 40 s, also while idle,
// and repeats calls that failed with UNAVAILABLE: every RPC of schedlab is safe to repeat. It
// connects with the first call.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           const ChannelOptions& options = {});

// The server's side of it: accepts the keepalive pings of such channels and the same messages.
void AcceptChannels(grpc::ServerBuilder& builder);

// Lets the call fail with DEADLINE_EXCEEDED after `timeout`.
void SetDeadline(grpc::ClientContext& context, std::chrono::milliseconds timeout);

}  // namespace schedlab::rpc
