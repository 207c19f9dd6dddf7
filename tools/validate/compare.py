"""Sets the two sides of each case beside each other, and says which aims are met."""

import dataclasses
import statistics

THROUGHPUT_AIM = 0.15   # simulated / real is within 1 +- this
SWITCHES_AIM = 2.0      # and within this factor
COLUMNS = ("throughput", "switches", "migrations", "p50", "p90", "p99", "delay")


@dataclasses.dataclass
class Range:
    """Of one side's runs."""
    median: float
    low: float
    high: float

    @staticmethod
    def of(values):
        known = [value for value in values if value is not None]
        return Range(statistics.median(known), min(known), max(known)) if known else None


@dataclasses.dataclass
class Row:
    """A case: by column the ranges of both sides."""
    case: object
    real: dict
    simulated: dict
    real_shares: list
    simulated_shares: list

    def ratio(self, column):
        real, simulated = self.real[column], self.simulated[column]
        if real is None or simulated is None or real.median == 0:
            return None
        return simulated.median / real.median

    def throughput_is_met(self):
        return abs(self.ratio("throughput") - 1) <= THROUGHPUT_AIM

    def switches_are_met(self):
        return 1 / SWITCHES_AIM <= self.ratio("switches") <= SWITCHES_AIM


def make_row(case, real_runs, latencies, simulated_runs):
    real = {name: Range.of([getattr(run, name) for run in real_runs]) for name in ("throughput", "switches", "migrations")}
    real.update({name: Range.of([getattr(one, name) for one in latencies]) for name in ("p50", "p90", "p99", "delay")})
    simulated = {name: Range.of([getattr(run, name) for run in simulated_runs]) for name in COLUMNS}
    return Row(case, real, simulated, shares([run.shares for run in real_runs]),
               shares([run.shares for run in simulated_runs]))


def shares(runs):
    """The part of all CPU time that each task had, as the median over runs."""
    parts = [[one / sum(run) for one in run] for run in runs if run and sum(run) > 0]
    return [statistics.median(column) for column in zip(*parts)]


@dataclasses.dataclass
class Order:
    """Whether the simulator ranks the settings of one choice as the machine does."""
    name: str
    right: int      # pairs of settings that both sides rank alike
    wrong: list     # texts of those that they do not
    unclear: int    # pairs whose real runs overlap: no order to be met


def orders_of(rows):
    names = []
    for row in rows:
        names += [name for name in row.case.orders if name not in names]
    found = [rank(name, [(row.case.name, row.real["throughput"], row.simulated["throughput"].median)
                         for row in rows if name in row.case.orders]) for name in names]
    by_nice = rank_shares(rows)
    return [order for order in [*found, by_nice] if order]


def rank(name, settings):
    order = Order(name, 0, [], 0)
    for i, (one, real, simulated) in enumerate(settings):
        for other, other_real, other_simulated in settings[i + 1:]:
            if real.low <= other_real.high and other_real.low <= real.high:
                order.unclear += 1
            elif (real.median < other_real.median) == (simulated < other_simulated):
                order.right += 1
            else:
                order.wrong.append(f"{one} against {other}")
    return order if len(settings) > 1 else None


def rank_shares(rows):
    """Of two tasks of one mix, the one of the smaller nice value has more CPU time on both sides."""
    order = Order("CPU time by nice value", 0, [], 0)
    for row in rows:
        nices = row.case.nices
        if not row.real_shares or not row.simulated_shares:
            continue
        for i, nice in enumerate(nices):
            for j in range(i + 1, len(nices)):
                if nice == nices[j]:
                    continue
                is_more = row.real_shares[i] > row.real_shares[j]
                if is_more == (row.simulated_shares[i] > row.simulated_shares[j]):
                    order.right += 1
                else:
                    order.wrong.append(f"{row.case.name}: {nice} against {nices[j]}")
    return order if order.right or order.wrong else None
