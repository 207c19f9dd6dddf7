#include "measure/measurements.h"

#include <array>

namespace schedlab::measure {
namespace {

using M = Measurements;

constexpr std::array kFields = {
    MeasurementField{"clock_read", &M::clock_read, "ns", "one reading of the monotonic clock"},
    MeasurementField{"system_call", &M::system_call, "ns", "getppid(2)"},
    MeasurementField{"yield_alone", &M::yield_alone, "ns",
                     "sched_yield(2) with nobody to yield to"},
    MeasurementField{"loop", &M::loop, "ns", "a million dependent multiplications and additions"},
    MeasurementField{"sibling_slowdown_permille", &M::sibling_slowdown_permille, "permille",
                     "what that loop loses to another one on its core"},
    MeasurementField{"lock_free", &M::lock_free, "ns", "a lock taken and released"},
    MeasurementField{"lock_contended", &M::lock_contended, "ns", "the same, handed to another CPU"},
    MeasurementField{"line_same_core", &M::line_same_core, "ns",
                     "a cache line from the other thread of the core"},
    MeasurementField{"line_same_llc", &M::line_same_llc, "ns",
                     "a cache line from another core under the same cache"},
    MeasurementField{"line_same_node", &M::line_same_node, "ns",
                     "a cache line from another cache of the node"},
    MeasurementField{"line_remote", &M::line_remote, "ns", "a cache line from the nearest node"},
    MeasurementField{"refill_same_llc", &M::refill_same_llc, "ns",
                     "16 KiB fetched again after a move within the cache"},
    MeasurementField{"refill_same_node", &M::refill_same_node, "ns",
                     "the same after a move to another cache of the node"},
    MeasurementField{"refill_remote", &M::refill_remote, "ns",
                     "the same after a move to the nearest node"},
    MeasurementField{"wake_nobody", &M::wake_nobody, "ns",
                     "futex wakeup without a sleeper, and a reading of the clock"},
    MeasurementField{"wake_same_cpu", &M::wake_same_cpu, "ns",
                     "futex wakeup of a sleeper of the same CPU that does not preempt"},
    MeasurementField{"wake_idle_cpu", &M::wake_idle_cpu, "ns",
                     "futex wakeup of a sleeper of an idle CPU, for the waker"},
    MeasurementField{"latency_same_cpu", &M::latency_same_cpu, "ns",
                     "from that call until the woken thread executes, which preempts its waker"},
    MeasurementField{"latency_busy_cpu", &M::latency_busy_cpu, "ns",
                     "the same where it preempts a thread of another CPU"},
    MeasurementField{"latency_idle_20us", &M::latency_idle_20us, "ns",
                     "the same where the other CPU has been idle for 20 us"},
    MeasurementField{"latency_idle_1ms", &M::latency_idle_1ms, "ns", "for 1 ms"},
    MeasurementField{"handoff_threads", &M::handoff_threads, "ns",
                     "a byte passed through a pipe to a thread of the same CPU that waits for it"},
    MeasurementField{"handoff_processes", &M::handoff_processes, "ns", "the same to a process"},
    MeasurementField{"pipe_exchange_1", &M::pipe_exchange_1, "ns",
                     "a byte written to a pipe and read again by one task"},
    MeasurementField{"pipe_write_100", &M::pipe_write_100, "ns",
                     "100 bytes written to a pipe, 200 times in a row"},
    MeasurementField{"pipe_read_100", &M::pipe_read_100, "ns", "these read on the same CPU"},
    MeasurementField{"pipe_write_100_apart", &M::pipe_write_100_apart, "ns",
                     "the same where they are read on another CPU"},
    MeasurementField{"pipe_read_100_apart", &M::pipe_read_100_apart, "ns", "these read there"},
    MeasurementField{"socket_write_100", &M::socket_write_100, "ns",
                     "100 bytes written to a local stream socket, 200 times in a row"},
    MeasurementField{"socket_read_100", &M::socket_read_100, "ns", "these read on the same CPU"},
    MeasurementField{"socket_write_100_apart", &M::socket_write_100_apart, "ns",
                     "the same where they are read on another CPU"},
    MeasurementField{"socket_read_100_apart", &M::socket_read_100_apart, "ns", "these read there"},
    MeasurementField{"queue_move", &M::queue_move, "ns",
                     "sched_setaffinity(2) that moves a waiting task, beyond one that does not"},
    MeasurementField{"tick", &M::tick, "ns", "lost at one tick"},
    MeasurementField{"lost_permille", &M::lost_permille, "permille",
                     "of a thread's time lost to ticks, interrupts, other tasks and the host"},
    MeasurementField{"timer_late_default_slack", &M::timer_late_default_slack, "ns",
                     "a sleeper executes so late on an idle CPU"},
    MeasurementField{"timer_late_least_slack", &M::timer_late_least_slack, "ns",
                     "the same with the least slack"},
    MeasurementField{"fork", &M::fork, "ns", "fork(2), for the parent"},
    MeasurementField{"process_life", &M::process_life, "ns",
                     "fork, exit and wait on one CPU, from end to end"},
    MeasurementField{"thread_create", &M::thread_create, "ns", "pthread_create, for the creator"},
    MeasurementField{"thread_life", &M::thread_life, "ns",
                     "a thread's start, end and join on one CPU"},
};

}  // namespace

std::span<const MeasurementField> MeasurementFields() { return kFields; }

}  // namespace schedlab::measure
