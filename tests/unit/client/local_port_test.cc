#include "client/local_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "client/file_descriptor.h"

namespace schedlab::client {
namespace {

// A listener on a loopback port of the system's choice.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    bind(socket_.get(), generic, size);
    listen(socket_.get(), 1);
    getsockname(socket_.get(), generic, &size);
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }
  void Close() { socket_.Close(); }

 private:
  FileDescriptor socket_;
  std::uint16_t port_ = 0;
};

TEST(ChoosePortTest, AnExplicitPortInUseIsAnErrorThatNamesIt) {
  const Listener listener;

  const Result<std::uint16_t> port = ChoosePort("--grpc-port", listener.port(), 7450);

  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(port.error().message.find(std::to_string(listener.port())), std::string::npos);
  EXPECT_NE(port.error().message.find("--grpc-port"), std::string::npos);
}

TEST(ChoosePortTest, APreferredPortInUseGivesAFreeOne) {
  const Listener listener;

  const Result<std::uint16_t> port = ChoosePort("--grpc-port", std::nullopt, listener.port());

  ASSERT_TRUE(port);
  EXPECT_NE(*port, listener.port());
  EXPECT_TRUE(IsPortFree(*port));
}

TEST(ChoosePortTest, AFreePortIsTaken) {
  Listener listener;
  listener.Close();

  EXPECT_EQ(ChoosePort("--grpc-port", listener.port(), 7450).value(), listener.port());
  EXPECT_EQ(ChoosePort("--grpc-port", std::nullopt, listener.port()).value(), listener.port());
}

}  // namespace
}  // namespace schedlab::client
