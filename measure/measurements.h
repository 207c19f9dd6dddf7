#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "measure/spread.h"

namespace schedlab::measure {

// All that a calibration measures. What the machine has no pair of CPUs for is not measured.
struct Measurements {
  Spread clock_read;
  Spread system_call;
  Spread yield_alone;
  Spread loop;
  Spread sibling_slowdown_permille;
  Spread lock_free;
  Spread lock_contended;
  Spread line_same_core;
  Spread line_same_llc;
  Spread line_same_node;
  Spread line_remote;
  Spread refill_same_llc;
  Spread refill_same_node;
  Spread refill_remote;
  Spread wake_nobody;
  Spread wake_same_cpu;
  Spread wake_idle_cpu;
  Spread latency_same_cpu;
  Spread latency_busy_cpu;
  Spread latency_idle_20us;
  Spread latency_idle_1ms;
  Spread interrupt_taken;
  Spread idle_choice_10us_permille;
  Spread idle_choice_100us_permille;
  Spread idle_choice_1ms_permille;
  Spread idle_choice_10ms_permille;
  Spread handoff_threads;
  Spread handoff_processes;
  Spread handoff_ring_threads;
  Spread handoff_ring_processes;
  Spread pipe_exchange_1;
  Spread pipe_exchange_1_ring;
  Spread pipe_write_100;
  Spread pipe_read_100;
  Spread pipe_write_100_apart;
  Spread pipe_read_100_apart;
  Spread socket_write_100;
  Spread socket_read_100;
  Spread socket_write_100_apart;
  Spread socket_read_100_apart;
  Spread pipe_write_100_many;
  Spread pipe_read_100_many;
  Spread pipe_write_100_many_apart;
  Spread pipe_read_100_many_apart;
  Spread socket_write_100_many;
  Spread socket_read_100_many;
  Spread socket_write_100_many_apart;
  Spread socket_read_100_many_apart;
  Spread pipe_write_100_many_both;
  Spread pipe_read_100_many_both;
  Spread pipe_write_100_many_both_apart;
  Spread pipe_read_100_many_both_apart;
  Spread socket_write_100_many_both;
  Spread socket_read_100_many_both;
  Spread socket_write_100_many_both_apart;
  Spread socket_read_100_many_both_apart;
  Spread queue_move;
  Spread tick;
  Spread lost_permille;
  Spread timer_late_default_slack;
  Spread timer_late_least_slack;
  Spread fork;
  Spread process_life;
  Spread process_exit;
  Spread thread_create;
  Spread thread_life;
  Spread thread_exit;
};

struct MeasurementField {
  std::string_view name;
  Spread Measurements::*member;
  std::string_view unit;
  std::string_view meaning;
};

// Every member of Measurements, in its order.
std::span<const MeasurementField> MeasurementFields();

}  // namespace schedlab::measure
