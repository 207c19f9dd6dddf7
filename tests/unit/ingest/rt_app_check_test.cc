#include <gtest/gtest.h>

#include "tests/unit/ingest/rt_app_text.h"

namespace schedlab {
namespace {

using testing::RefusalOf;
using testing::RefusalOfThread;

TEST(RtAppCheckTest, AResumeNeedsSomebodyOfThatName) {
  EXPECT_EQ(RefusalOfThread("\"resume\": \"b\", \"run\": 1"),
            "tasks.a.resume: nothing is suspended as 'b' and no thread has that name");
  EXPECT_EQ(RefusalOfThread("\"resume\": \"a\", \"run\": 1"), "");
}

TEST(RtAppCheckTest, ABarrierTwiceInOneThreadIsRefused) {
  EXPECT_EQ(RefusalOfThread(R"("barrier": "x", "run": 1, "barrier": "x")"),
            "tasks.a.barrier: barrier 'x' stands twice in its thread, which cannot meet itself; "
            "use one name for each meeting");
}

TEST(RtAppCheckTest, AForkedThreadCannotUseABarrier) {
  EXPECT_EQ(RefusalOf(R"({"tasks": {"a": {"fork": "b", "run": 1},
                                    "b": {"barrier": "x", "run": 1}}})"),
            "tasks.b.barrier: a thread that is forked cannot use a barrier");
}

TEST(RtAppCheckTest, LocksMustBeInBalance) {
  EXPECT_EQ(RefusalOfThread(R"("lock": "m", "lock": "m", "run": 1)"),
            "tasks.a: locks mutex 'm', which it holds already");
  EXPECT_EQ(RefusalOfThread(R"("unlock": "m", "run": 1)"),
            "tasks.a: unlocks mutex 'm', which it does not hold");
  EXPECT_EQ(RefusalOfThread(R"("lock": "m", "run": 1)"),
            "tasks.a: the thread ends with mutex 'm' locked");
  EXPECT_EQ(RefusalOfThread(R"("wait": {"ref": "q", "mutex": "m"})"),
            "tasks.a: waits with mutex 'm', which it does not hold");
}

TEST(RtAppCheckTest, AMutexMayBeHeldOverPhasesThatAreNotRepeated) {
  EXPECT_EQ(RefusalOfThread(R"("phases": {"p": {"lock": "m", "run": 1}, "q": {"unlock": "m"}})"),
            "");
  EXPECT_EQ(RefusalOfThread(R"("phases": {"p": {"loop": 2, "lock": "m", "run": 1},
                                          "q": {"unlock": "m"}})"),
            "tasks.a.phases.p: its end holds other mutexes than its beginning, and it is repeated");
}

TEST(RtAppCheckTest, AThreadThatNeverTakesTimeIsRefused) {
  EXPECT_EQ(RefusalOfThread("\"yield\": \"\""), "tasks.a: repeats for ever and never takes time");
  EXPECT_EQ(RefusalOfThread("\"run\": 0"), "tasks.a: repeats for ever and never takes time");
  EXPECT_EQ(RefusalOfThread(R"("sem_post": "s", "sem_wait": "s")"),
            "tasks.a: repeats for ever and never takes time");
  EXPECT_EQ(RefusalOfThread(R"("phases": {"p": {"run": 1}, "q": {"loop": -1, "signal": "c"}})"),
            "tasks.a.phases.q: repeats for ever and never takes time");
}

TEST(RtAppCheckTest, AThreadThatEndsOrBlocksNeedNotTakeTime) {
  EXPECT_EQ(RefusalOfThread("\"loop\": 2, \"yield\": \"\""), "");
  EXPECT_EQ(RefusalOfThread("\"suspend\": \"\""), "");
  EXPECT_EQ(RefusalOfThread("\"sem_wait\": \"s\""), "");
}

}  // namespace
}  // namespace schedlab
