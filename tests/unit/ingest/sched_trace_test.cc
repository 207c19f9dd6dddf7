#include "ingest/sched_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/limits.h"

namespace schedlab::ingest {
namespace {

// Lines of a recording, in microseconds since its begin.
class Recording {
 public:
  explicit Recording(std::string text = {}) : text_(std::move(text)) {}

  Recording& Line(std::string_view line) {
    text_ += fmt::format("{}\n", line);
    return *this;
  }
  // The task with number `from` makes way for `to` on `cpu`; number 0 is idle.
  Recording& Switch(int at_us, int cpu, int from, char state, int to) {
    return Line(
        fmt::format("{} sched_switch: prev_comm=t{} prev_pid={} prev_prio=120 "
                    "prev_state={} ==> next_comm=t{} next_pid={} next_prio=120",
                    Head(at_us, cpu, from, "....."), from, from, state, to, to));
  }
  Recording& Wake(int at_us, int cpu, int waker, int task, std::string_view flags = ".....") {
    return Line(fmt::format("{} sched_waking: comm=t{} pid={} prio=120 target_cpu=000",
                            Head(at_us, cpu, waker, flags), task, task));
  }
  Recording& Start(int at_us, int cpu, int parent, int child) {
    return Line(fmt::format("{} sched_wakeup_new: comm=t{} pid={} prio=120 target_cpu=000",
                            Head(at_us, cpu, parent, "....."), child, child));
  }
  Recording& Other(int at_us, int cpu, int task) {
    return Line(fmt::format("{} sys_enter: NR 1", Head(at_us, cpu, task, ".....")));
  }

  ImportedRecording Import() const {
    const Result<ImportedRecording> imported = ImportRecording(text_);
    EXPECT_TRUE(imported.has_value()) << imported.error().message;
    return imported.value();
  }
  const std::string& text() const { return text_; }

 private:
  static std::string Head(int at_us, int cpu, int task, std::string_view flags) {
    return fmt::format("t{}-{} [{:03}] {} 100.{:06}:", task, task, cpu, flags, at_us);
  }

  std::string text_;
};

using Steps = std::vector<TraceStep>;

const TraceTask& TaskOf(const ImportedRecording& imported, std::int32_t pid) {
  for (const TraceTask& task : imported.trace.tasks) {
    if (task.pid == pid) return task;
  }
  static const TraceTask kNone;
  ADD_FAILURE() << "no task " << pid;
  return kNone;
}

std::string ErrorOf(std::string_view text) {
  const Result<ImportedRecording> imported = ImportRecording(text);
  EXPECT_FALSE(imported.has_value());
  return imported ? std::string() : imported.error().message;
}

std::string ReadRecording(const std::string& name) {
  std::ifstream file(std::string(SCHEDLAB_SOURCE_DIR) + "/tests/unit/ingest/recordings/" + name);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

constexpr std::int64_t kUs = 1'000;

TEST(ImportTest, AWakeupHappensAtAPointOfTheWakersWork) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Wake(30, 0, 7, 8)
                            .Switch(100, 0, 7, 'S', 8)
                            .Switch(150, 0, 8, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps,
            (Steps{TraceStep::Run(30 * kUs), TraceStep::Wake(1), TraceStep::Run(70 * kUs)}));
  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Wait(), TraceStep::Run(50 * kUs)}));
  EXPECT_EQ(imported.trace.span_ns, 150 * kUs);
}

TEST(ImportTest, PreemptionsAreForgotten) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(40, 0, 7, 'R', 8)
                            .Switch(90, 0, 8, 'R', 7)
                            .Switch(100, 0, 7, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps, (Steps{TraceStep::Run(50 * kUs)}));
}

TEST(ImportTest, ASleepEndedByAnInterruptIsATimedOne) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(10, 0, 7, 'S', 8)
                            .Wake(60, 0, 8, 7, "d.h3.")
                            .Switch(70, 0, 8, 'R', 7)
                            .Switch(75, 0, 7, 'S', 8)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps,
            (Steps{TraceStep::Run(10 * kUs), TraceStep::Sleep(50 * kUs), TraceStep::Run(5 * kUs)}));
  EXPECT_EQ(imported.counts.interrupt_wakeup_count, 1);
}

TEST(ImportTest, TheIdleTaskWakesAsAnInterruptDoes) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(10, 0, 7, 'S', 0)
                            .Wake(60, 0, 0, 7)
                            .Switch(70, 0, 0, 'R', 7)
                            .Switch(75, 0, 7, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps,
            (Steps{TraceStep::Run(10 * kUs), TraceStep::Sleep(50 * kUs), TraceStep::Run(5 * kUs)}));
}

TEST(ImportTest, EventsOfInterruptHandlersSayWhoWakes) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(10, 0, 7, 'S', 8)
                            .Line("t8-8 [000] 100.000059: hrtimer_expire_entry: hrtimer=x now=1")
                            .Wake(60, 0, 8, 7)
                            .Line("t8-8 [000] 100.000061: hrtimer_expire_exit: hrtimer=x")
                            .Wake(62, 0, 8, 9)
                            .Switch(70, 0, 8, 'R', 7)
                            .Switch(75, 0, 7, 'S', 9)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps[1], TraceStep::Sleep(50 * kUs));
  EXPECT_EQ(TaskOf(imported, 9).steps[0], TraceStep::Wait());
}

TEST(ImportTest, AWakeupOfARunnableTaskChangesNothing) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(5, 1, 0, 'R', 8)
                            .Wake(10, 1, 8, 7)
                            .Switch(20, 0, 7, 'R', 9)
                            .Wake(30, 1, 8, 7)
                            .Switch(40, 0, 9, 'S', 7)
                            .Switch(50, 0, 7, 'S', 0)
                            .Switch(50, 1, 8, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps, (Steps{TraceStep::Run(30 * kUs)}));
  EXPECT_EQ(TaskOf(imported, 8).steps.back(), TraceStep::Run(45 * kUs));
  EXPECT_EQ(imported.counts.void_wakeup_count, 2);
}

TEST(ImportTest, AWakeupJustBeforeTheBlockEndsIt) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(0, 1, 0, 'R', 8)
                            .Wake(19, 1, 8, 7)
                            .Switch(20, 0, 7, 'S', 0)
                            .Switch(25, 0, 0, 'R', 7)
                            .Switch(50, 0, 7, 'S', 0)
                            .Switch(50, 1, 8, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps,
            (Steps{TraceStep::Run(20 * kUs), TraceStep::Wait(), TraceStep::Run(25 * kUs)}));
  EXPECT_EQ(TaskOf(imported, 8).steps,
            (Steps{TraceStep::Run(19 * kUs), TraceStep::Wake(0), TraceStep::Run(31 * kUs)}));
}

TEST(ImportTest, AChildIsStartedByItsParent) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Start(30, 0, 7, 8)
                            .Switch(40, 0, 7, 'S', 8)
                            .Switch(90, 0, 8, 'X', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps,
            (Steps{TraceStep::Run(30 * kUs), TraceStep::Wake(1), TraceStep::Run(10 * kUs)}));
  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Wait(), TraceStep::Run(50 * kUs)}));
}

TEST(ImportTest, AForkAloneStartsTheChildToo) {
  const auto imported =
      Recording()
          .Switch(0, 0, 0, 'R', 7)
          .Line(
              "t7-7 [000] 100.000030: sched_process_fork: comm=t7 pid=7 child_comm=t7 child_pid=8")
          .Switch(40, 0, 7, 'S', 8)
          .Switch(90, 0, 8, 'X', 0)
          .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Wait(), TraceStep::Run(50 * kUs)}));
}

TEST(ImportTest, ANumberThatIsUsedAgainIsAnotherTask) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Start(10, 0, 7, 8)
                            .Switch(20, 0, 7, 'R', 8)
                            .Switch(30, 0, 8, 'X', 7)
                            .Start(40, 0, 7, 8)
                            .Switch(50, 0, 7, 'S', 8)
                            .Switch(90, 0, 8, 'X', 0)
                            .Import();

  ASSERT_EQ(imported.trace.tasks.size(), 3U);
  EXPECT_EQ(imported.trace.tasks[1].steps, (Steps{TraceStep::Wait(), TraceStep::Run(10 * kUs)}));
  EXPECT_EQ(imported.trace.tasks[2].steps, (Steps{TraceStep::Wait(), TraceStep::Run(40 * kUs)}));
}

TEST(ImportTest, ATaskThatRunsAtTheStartHasRunSinceThen) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(80, 1, 8, 'S', 0)
                            .Switch(100, 0, 7, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Run(80 * kUs)}));
}

TEST(ImportTest, ATaskOfUnknownPastStartsWhenItIsSeen) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(10, 0, 7, 'R', 8)
                            .Switch(30, 0, 8, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps,
            (Steps{TraceStep::Sleep(10 * kUs), TraceStep::Run(20 * kUs)}));
  EXPECT_EQ(imported.counts.unexplained_wakeup_count, 1);
}

TEST(ImportTest, ARecordingThatShowsBirthsHasItsOldTasksRunnableFromTheStart) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Start(5, 0, 7, 9)
                            .Switch(10, 0, 7, 'R', 8)
                            .Switch(30, 0, 8, 'S', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Run(20 * kUs)}));
}

TEST(ImportTest, LostEventsAreCountedAndCutTheRunThatTheyHide) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Other(10, 0, 7)
                            .Line("CPU:0 [LOST 12 EVENTS]")
                            .Switch(50, 0, 8, 'S', 7)
                            .Switch(60, 0, 7, 'S', 0)
                            .Import();

  EXPECT_EQ(imported.counts.lost_count, 12);
  EXPECT_EQ(imported.counts.loss_count, 1);
  EXPECT_EQ(imported.counts.contradiction_count, 0);
  EXPECT_EQ(TaskOf(imported, 7).steps, (Steps{TraceStep::Run(10 * kUs), TraceStep::Sleep(40 * kUs),
                                              TraceStep::Run(10 * kUs)}));
}

TEST(ImportTest, ContradictionsAreCountedAndDoNotDoubleTime) {
  const auto imported = Recording()
                            .Switch(0, 0, 0, 'R', 7)
                            .Other(10, 0, 7)
                            .Switch(50, 1, 0, 'R', 7)
                            .Switch(60, 0, 9, 'S', 0)
                            .Switch(80, 1, 7, 'S', 0)
                            .Import();

  EXPECT_EQ(imported.counts.contradiction_count, 1);
  EXPECT_EQ(TaskOf(imported, 7).steps, (Steps{TraceStep::Run(10 * kUs), TraceStep::Sleep(40 * kUs),
                                              TraceStep::Run(30 * kUs)}));
}

TEST(ImportTest, TheTargetsOwnCpuDoesNotCountAsWaker) {
  const auto imported =
      Recording()
          .Switch(0, 0, 0, 'R', 7)
          .Switch(0, 1, 0, 'R', 8)
          .Switch(10, 1, 8, 'S', 0)
          .Wake(20, 0, 7, 8)
          .Line("<idle>-0 [001] 100.000022: sched_wakeup: comm=t8 pid=8 prio=120 target_cpu=001")
          .Switch(30, 1, 0, 'R', 8)
          .Switch(40, 1, 8, 'S', 0)
          .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps,
            (Steps{TraceStep::Run(10 * kUs), TraceStep::Wait(), TraceStep::Run(10 * kUs)}));
}

TEST(ImportTest, WithoutSchedWakingTheWakeupsCount) {
  const auto imported =
      Recording()
          .Switch(0, 0, 0, 'R', 7)
          .Line("t7-7 [000] 100.000020: sched_wakeup: comm=t8 pid=8 prio=120 target_cpu=001")
          .Switch(30, 0, 7, 'S', 8)
          .Switch(40, 0, 8, 'S', 0)
          .Import();

  EXPECT_EQ(TaskOf(imported, 8).steps, (Steps{TraceStep::Wait(), TraceStep::Run(10 * kUs)}));
}

TEST(ImportTest, LinesOfCpusOneAfterTheOtherAreSorted) {
  const auto imported = Recording()
                            .Switch(100, 1, 7, 'S', 0)
                            .Switch(0, 0, 0, 'R', 7)
                            .Switch(60, 0, 7, 'R', 0)
                            .Import();

  EXPECT_EQ(TaskOf(imported, 7).steps.front(), TraceStep::Run(60 * kUs));
}

TEST(ImportTest, TheLastNameOfATaskIsKept) {
  const auto imported =
      Recording()
          .Switch(0, 0, 0, 'R', 7)
          .Line(
              "t7-7 [000] ..... 100.000009: sched_switch: prev_comm=new name prev_pid=7 "
              "prev_prio=119 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120")
          .Import();

  EXPECT_EQ(TaskOf(imported, 7).name, "new name");
  EXPECT_EQ(TaskOf(imported, 7).priority, 119);
}

TEST(ImportTest, ALineThatIsCutOffIsNamed) {
  const std::string text = Recording().Switch(0, 0, 0, 'R', 7).text() +
                           "t7-7 [000] ..... 100.000009: sched_switch: prev_comm=t7 prev_p";

  EXPECT_NE(ErrorOf(text).find("line 2: sched_switch without"), std::string::npos);
}

TEST(ImportTest, ALineOfWhichOnlyTheEventCanBeReadIsNamed) {
  for (const char* line : {"t7-12345678901 [000] ..... 100.000009: sched_switch: garbage\n",
                           "t7-7 [000] ..... 100.00x: sched_waking: comm=t7 pid=7\n",
                           "t7 7 [zero] 100.000009: sched:sched_wakeup: comm=t7 pid=7\n"}) {
    const std::string text = Recording().Switch(0, 0, 0, 'R', 7).text() + line;

    EXPECT_NE(ErrorOf(text).find("line 2: an event of the scheduler whose"), std::string::npos)
        << line;
  }
}

TEST(ImportTest, TextThatIsNoRecordingIsRefused) {
  EXPECT_NE(ErrorOf("hello\nworld\n").find("none of the 2 lines is an event"), std::string::npos);
  EXPECT_NE(ErrorOf(Recording().Other(1, 0, 7).text()).find("is a sched_switch"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ReadRecording("perf-trace-summary.txt")).find("is an event as"),
            std::string::npos);
}

TEST(ImportTest, ACpuBeyondTheLimitIsRefused) {
  EXPECT_NE(ErrorOf(Recording().Switch(0, kMaxCpus, 0, 'R', 7).text()).find("at most 4096"),
            std::string::npos);
}

TEST(ImportTest, ARecordingLongerThanARunIsRefused) {
  const std::string text = Recording().Switch(0, 0, 0, 'R', 7).text() +
                           "t7-7 [000] ..... 9000.000009: sched_switch: t7:7 [120] S ==> x:0 [120]";

  EXPECT_NE(ErrorOf(text).find("spans"), std::string::npos);
}

TEST(ImportTest, PerfScriptIsRead) {
  const Result<ImportedRecording> imported =
      ImportRecording(ReadRecording("perf-sched-script.txt"));

  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  EXPECT_EQ(imported->counts.event_count, 60);
  EXPECT_EQ(imported->counts.unread_line_count, 0);
  EXPECT_EQ(imported->counts.contradiction_count, 0);
  EXPECT_EQ(imported->trace.cpu_count, 2);
  EXPECT_EQ(TaskOf(*imported, 18).steps.front(), TraceStep::Wait());
  EXPECT_EQ(TaskOf(*imported, 18).steps.back(), TraceStep::Run(29 * kUs));
  EXPECT_EQ(TaskOf(*imported, 18).priority, 0);
}

TEST(ImportTest, AnFtraceFileIsRead) {
  const Result<ImportedRecording> imported = ImportRecording(ReadRecording("ftrace-trace.txt"));

  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  EXPECT_GT(imported->counts.event_count, 60);
  EXPECT_EQ(imported->counts.overwritten_count, 0);
  EXPECT_EQ(imported->counts.contradiction_count, 0);
  EXPECT_EQ(TaskOf(*imported, 28452).name, "sched-pipe");
}

TEST(ImportTest, TimeThatGoesBackwardsOnACpuIsRefusedByItsLine) {
  Recording recording;
  recording.Switch(500, 0, 1, 'S', 2).Switch(300, 1, 0, 'R', 3).Switch(400, 0, 2, 'S', 1);

  const Result<ImportedRecording> imported = ImportRecording(recording.text());

  ASSERT_FALSE(imported.has_value());
  EXPECT_EQ(imported.error().message,
            "line 3: the time goes backwards on CPU 0: 100.000400000 s, after 100.000500000 s "
            "above; the lines are not in the order in which they were recorded");
}

TEST(ImportTest, TimesThatAreRoundedDifferentlyAreNotTakenForDisorder) {
  Recording recording;
  recording.Switch(500, 0, 1, 'S', 2).Switch(499, 0, 2, 'S', 1);

  EXPECT_TRUE(ImportRecording(recording.text()).has_value());
}

TEST(ImportTest, ACpuAfterAnotherIsNoDisorder) {
  Recording recording;
  recording.Switch(500, 0, 1, 'S', 2).Switch(900, 0, 2, 'S', 1).Switch(300, 1, 0, 'R', 3);

  EXPECT_TRUE(ImportRecording(recording.text()).has_value());
}

TEST(ImportTest, ATraceCmdReportIsRead) {
  const Result<ImportedRecording> imported = ImportRecording(ReadRecording("trace-cmd-report.txt"));

  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  EXPECT_EQ(imported->counts.unread_line_count, 1);    // "cpus=2"
  EXPECT_EQ(imported->counts.contradiction_count, 2);  // lacks the switches away from 68
  EXPECT_EQ(TaskOf(*imported, 58).name, "kworker/1:1H");
  EXPECT_EQ(TaskOf(*imported, 58).priority, 100);
}

TEST(ImportTest, TheTasksOfTwoCpusAreReadWithTheirTimes) {
  const Result<ImportedRecording> imported =
      ImportRecording(ReadRecording("trace-cmd-two-cpus.txt"));

  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  EXPECT_EQ(TaskOf(*imported, 101).steps,
            (Steps{TraceStep::Run(499 * kUs), TraceStep::Wake(2), TraceStep::Run(1500 * kUs)}));
  EXPECT_EQ(TaskOf(*imported, 102).steps, (Steps{TraceStep::Wait(), TraceStep::Run(2100 * kUs)}));
  EXPECT_EQ(TaskOf(*imported, 103).steps, (Steps{TraceStep::Run(899 * kUs)}));
}

}  // namespace
}  // namespace schedlab::ingest
