// A yardstick for the simulator's events per second: SimGrid 3.32, a general discrete-event
// simulator, with actors that do nothing but sleep in a loop. An event is the end of one sleep.
//
//   simgrid_sleep_bench [ACTORS [SLEEPS]]

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <simgrid/s4u.hpp>

namespace {

// Actors sleep for different times, 1 to 1.999 ms, so that few of them wake at one instant.
void SleepAgainAndAgain(std::int64_t actor, std::int64_t sleep_count) {
  const double seconds = 1e-3 + 1e-6 * static_cast<double>(actor * 7 % 1000);
  for (std::int64_t i = 0; i < sleep_count; ++i) simgrid::s4u::this_actor::sleep_for(seconds);
}

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  const std::int64_t actor_count = argc > 1 ? std::atoll(argv[1]) : 256;
  const std::int64_t sleep_count = argc > 2 ? std::atoll(argv[2]) : 2000;
  simgrid::s4u::NetZone* const zone = simgrid::s4u::create_full_zone("zone");
  simgrid::s4u::Host* const host = zone->create_host("host", 1e9)->seal();
  zone->seal();
  for (std::int64_t actor = 0; actor < actor_count; ++actor) {
    simgrid::s4u::Actor::create("sleeper", host, SleepAgainAndAgain, actor, sleep_count);
  }
  const double begin = CpuSeconds();
  engine.run();
  const double seconds = CpuSeconds() - begin;
  const auto event_count = static_cast<double>(actor_count * sleep_count);
  std::cout << "{\"events\": " << actor_count * sleep_count << ", \"cpu_sec\": " << seconds
            << ", \"events_per_sec\": " << event_count / seconds << "}\n";
  return 0;
}
