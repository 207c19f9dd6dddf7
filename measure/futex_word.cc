#include "measure/futex_word.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace schedlab::measure {

void FutexWord::WaitWhile(std::uint32_t expected) {
  syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

std::int64_t FutexWord::WakeOne() {
  return syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace schedlab::measure
