"""Holds the statistics of stats/ against scipy, and where scipy has none against its definition:
stats_oracle prints what they make of seeded numbers."""

import itertools
import json
import math
import os
import pathlib
import subprocess
import unittest

import numpy
from scipy import integrate, optimize, special, stats

BIN = pathlib.Path(os.environ["SCHEDLAB_BIN_DIR"])
EXACT = 1e-10
MOST_DEGREES = 20


def read_records():
    done = subprocess.run([str(BIN / "stats_oracle")], stdout=subprocess.PIPE, text=True, check=True)
    records = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        records.setdefault(record["of"], []).append(record)
    return records


def log_bias(degrees):
    return special.digamma(degrees / 2) - numpy.log(degrees / 2)


def degrees_of_log_variance(variance):
    if variance <= 0:
        return math.inf
    return 2 * math.exp(optimize.brentq(
        lambda log_x: math.log(special.polygamma(1, math.exp(log_x))) - math.log(variance),
        -30, 30, xtol=1e-14, rtol=1e-14))


def limma_prior(variances, degrees):
    """fitFDist() of limma without its covariate and robust forms."""
    logs = numpy.log(variances) - log_bias(degrees)
    spread = logs.var(ddof=1) - special.polygamma(1, degrees / 2).mean()
    prior = degrees_of_log_variance(spread)
    bias = log_bias(prior) if math.isfinite(prior) else 0
    return math.exp(logs.mean() + bias), prior


def non_central_tail(t, degrees, shift):
    """P((Z + shift) / sqrt(V / degrees) > t) by integrating over V's chi^2."""
    def density(v):
        return stats.chi2.pdf(v, degrees) * stats.norm.sf(t * math.sqrt(v / degrees) - shift)
    edges = [0] + list(stats.chi2.ppf([0.001, 0.1, 0.5, 0.9, 0.999], degrees)) + [numpy.inf]
    return sum(integrate.quad(density, low, high, epsabs=1e-13, epsrel=1e-12, limit=200)[0]
               for low, high in zip(edges, edges[1:]))


def student_isf(tail, degrees):
    """scipy's own is good to 8 digits; Newton's steps by its density do the rest."""
    t = stats.t.isf(tail, degrees)
    for _ in range(3):
        t += (stats.t.sf(t, degrees) - tail) / stats.t.pdf(t, degrees)
    return t


def rank_of_interval(ways, tail):
    """Of counts by value: the largest r of which the first r values have at most that share, or 1."""
    below = numpy.cumsum(ways) / sum(ways)
    return max(1, int(numpy.searchsorted(below, tail, side="right")))


def mann_whitney_ways(m, n):
    """The coefficients of the Gaussian binomial: the ways to each U."""
    ways = numpy.zeros(m * n + 1)
    ways[0] = 1
    for i in range(1, n + 1):
        for u in range(m * n, m + i - 1, -1):
            ways[u] -= ways[u - m - i]
        for u in range(i, m * n + 1):
            ways[u] += ways[u - i]
    return ways


def signed_rank_ways(n):
    ways = numpy.array([1.0])
    for rank in range(1, n + 1):
        ways = numpy.pad(ways, (0, rank)) + numpy.pad(ways, (rank, 0))
    return ways


def boundaries(alpha, information):
    """Of Lan and DeMets in the shape of O'Brien and Fleming, by sums over a fine grid."""
    spent = 2 * stats.norm.sf(stats.norm.isf(alpha / 2) / numpy.sqrt(information))
    spent[-1] = alpha
    grid = None
    bounds = []
    for i, share in enumerate(information):
        if i == 0:
            bounds.append(stats.norm.isf(spent[0]))
        else:
            correlation = math.sqrt(information[i - 1] / share)
            step = math.sqrt(1 - correlation ** 2)

            def above(bound):
                return (mass * stats.norm.sf((bound - correlation * grid) / step)).sum()
            bounds.append(optimize.brentq(lambda b: above(b) - (spent[i] - spent[i - 1]), 0, 20))
        fresh = numpy.linspace(-8, min(bounds[-1], 12), 2001)
        if i == 0:
            density = stats.norm.pdf(fresh)
        else:
            density = (mass * stats.norm.pdf((fresh[:, None] - correlation * grid) / step)).sum(1) / step
        weights = numpy.full(fresh.size, fresh[1] - fresh[0])  # Simpson's
        weights *= numpy.where(numpy.arange(fresh.size) % 2 == 1, 4, 2) / 3
        weights[[0, -1]] /= 2
        grid, mass = fresh, weights * density
    return numpy.array(bounds)


class ScipyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = read_records()

    def near(self, ours, theirs, tolerance=EXACT):
        """Relative, and absolute where the number is about 0."""
        numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=1e-14)

    def each(self, name):
        self.assertTrue(self.records[name])
        return self.records[name]

    def check_difference(self, record, estimate, error, degrees):
        t = (estimate - record["bound"]) / error
        self.near(record["estimate"], estimate)
        self.near(record["standard_error"], error)
        self.near(record["degrees"], degrees)
        self.near(record["greater"], stats.t.sf(t, degrees))
        self.near(record["less"], stats.t.cdf(t, degrees))
        self.near(record["different"], 2 * stats.t.sf(abs(t), degrees))
        reach = error * student_isf(0.05, degrees)
        self.near(record["interval"], [estimate - reach, estimate + reach])

    def test_welch(self):
        for record in self.each("welch"):
            baseline = numpy.array(record["baseline"]) + record["bound"]
            candidate = numpy.array(record["candidate"])
            for name, alternative in (("greater", "greater"), ("less", "less"), ("different", "two-sided")):
                theirs = stats.ttest_ind(candidate, baseline, equal_var=False, alternative=alternative)
                self.near(record[name], theirs.pvalue)

    def test_paired(self):
        for record in self.each("paired"):
            baseline = numpy.array(record["baseline"]) + record["bound"]
            theirs = stats.ttest_rel(record["candidate"], baseline, alternative="greater")
            self.near(record["greater"], theirs.pvalue)
            differences = numpy.array(record["candidate"]) - record["baseline"]
            count = differences.size
            self.check_difference(record, differences.mean(), stats.sem(differences), count - 1)

    def test_moderated(self):
        for record in self.each("moderated"):
            sides = [numpy.array(record["baseline"]), numpy.array(record["candidate"])]
            runs_degrees = sum(side.size - 1 for side in sides)
            degrees = runs_degrees + 20
            variance = (sum(side.var() * side.size for side in sides) + 20 * 1.3 ** 2) / degrees
            error = math.sqrt(variance * sum(1 / side.size for side in sides))
            self.near(record["run_stddev"], math.sqrt(variance))
            self.check_difference(record, sides[1].mean() - sides[0].mean(), error, degrees)

    def test_moderated_paired(self):
        for record in self.each("moderated_paired"):
            differences = numpy.array(record["candidate"]) - record["baseline"]
            degrees = differences.size - 1 + 20
            variance = (differences.var() * differences.size + 20 * 1.3 ** 2) / degrees
            self.check_difference(record, differences.mean(), math.sqrt(variance / differences.size), degrees)

    def test_variances(self):
        for record in self.each("variances"):
            baseline, candidate = numpy.array(record["baseline"]), numpy.array(record["candidate"])
            self.near(record["pooled"], (baseline.var(ddof=1) + candidate.var(ddof=1)) / 2)
            self.near(record["of_differences"], (candidate - baseline).var(ddof=1))

    def test_mann_whitney(self):
        for record in self.each("mann_whitney"):
            baseline, candidate = record["baseline"], record["candidate"]
            is_exact = len(baseline) * len(candidate) <= 400
            if is_exact and record["is_tied"]:
                continue  # test_ties
            method = "exact" if is_exact else "asymptotic"
            for name, alternative in (("greater", "greater"), ("less", "less"), ("different", "two-sided")):
                theirs = stats.mannwhitneyu(candidate, baseline, alternative=alternative, method=method)
                self.near(record["statistic"], theirs.statistic)
                self.near(record[name], theirs.pvalue)

    def test_signed_rank(self):
        for record in self.each("signed_rank"):
            differences = numpy.array(record["candidate"]) - record["baseline"]
            differences = differences[differences != 0]
            is_exact = differences.size <= 50
            if is_exact and record["is_tied"]:
                continue
            method = "exact" if is_exact else "approx"
            for name, alternative in (("greater", "greater"), ("less", "less"), ("different", "two-sided")):
                theirs = stats.wilcoxon(differences, alternative=alternative, method=method, correction=True)
                self.near(record[name], theirs.pvalue)

    def test_ties_by_every_assignment(self):
        checked = 0
        for record in self.each("mann_whitney"):
            if not record["is_tied"] or len(record["baseline"]) > 3:
                continue
            ranks = stats.rankdata(record["candidate"] + record["baseline"])
            count = len(record["candidate"])
            sums = [sum(chosen) for chosen in itertools.combinations(ranks, count)]
            observed = ranks[:count].sum()
            self.near(record["greater"], numpy.mean([one >= observed - 1e-9 for one in sums]))
            self.near(record["less"], numpy.mean([one <= observed + 1e-9 for one in sums]))
            checked += 1
        for record in self.each("signed_rank"):
            if not record["is_tied"] or len(record["baseline"]) > 12:
                continue
            differences = numpy.array(record["candidate"]) - record["baseline"]
            differences = differences[differences != 0]
            ranks = stats.rankdata(abs(differences))
            observed = ranks[differences > 0].sum()
            self.near(record["statistic"], observed)
            signs = numpy.array(list(itertools.product((0, 1), repeat=ranks.size)))
            self.near(record["greater"], (signs @ ranks >= observed - 1e-9).mean())
            checked += 1
        self.assertGreaterEqual(checked, 4)

    def test_hodges_lehmann(self):
        for record in self.each("mann_whitney"):
            baseline, candidate = record["baseline"], record["candidate"]
            differences = numpy.sort(numpy.subtract.outer(candidate, baseline).ravel())
            self.near(record["shift"], numpy.median(differences))
            if len(baseline) * len(candidate) <= 400:
                rank = rank_of_interval(mann_whitney_ways(len(baseline), len(candidate)), 0.05)
                self.near(record["interval"], [differences[rank - 1], differences[-rank]])

    def test_hodges_lehmann_of_pairs(self):
        for record in self.each("signed_rank"):
            differences = numpy.array(record["candidate"]) - record["baseline"]
            sums = numpy.add.outer(differences, differences)
            averages = numpy.sort(sums[numpy.triu_indices(differences.size)]) / 2
            self.near(record["shift"], numpy.median(averages))
            if differences.size <= 50:
                rank = rank_of_interval(signed_rank_ways(differences.size), 0.05)
                self.near(record["interval"], [averages[rank - 1], averages[-rank]])

    def test_summary(self):
        for record in self.each("summary"):
            samples = numpy.array(record["samples"])
            self.near(record["mean"], samples.mean())
            self.near(record["stddev"], samples.std(ddof=1))
            self.near(record["median"], numpy.median(samples))
            self.near(record["mad"], stats.median_abs_deviation(samples))
            self.near(record["robust_stddev"], stats.median_abs_deviation(samples, scale="normal"))
            self.near(record["quantiles"], numpy.quantile(samples, [0, 0.1, 0.25, 0.5, 0.9, 1]))

    def test_distributions(self):
        for record in self.each("normal_tail"):
            self.near(record["result"], stats.norm.sf(record["z"]))
        for record in self.each("normal_quantile"):
            self.near(record["result"], stats.norm.ppf(record["p"]))
        for record in self.each("student_tail"):
            self.near(record["result"], stats.t.sf(record["t"], record["degrees"]))
        for record in self.each("student_quantile"):
            self.near(record["result"], -student_isf(record["p"], record["degrees"]))
        for record in self.each("non_central_tail"):
            self.near(record["result"],
                      non_central_tail(record["t"], record["degrees"], record["non_centrality"]))

    def test_gamma_derivatives(self):
        for record in self.each("gamma_derivatives"):
            self.near(record["digamma"], special.digamma(record["x"]))
            self.near(record["trigamma"], special.polygamma(1, record["x"]))
        for record in self.each("trigamma_inverse"):
            self.near(special.polygamma(1, record["result"]), record["value"])

    def test_power(self):
        for record in self.each("power"):
            sides = 1 if record["is_paired"] else 2

            def power(count):
                degrees = sides * (count - 1) + record["history"]
                return non_central_tail(student_isf(0.0025, degrees), degrees,
                                        record["distance"] / math.sqrt(sides / count))
            self.near(record["power"], power(record["needed"]))
            self.assertGreaterEqual(record["power"], 0.9)
            if record["needed"] > 2:
                self.near(record["power_below"], power(record["needed"] - 1))
                self.assertLess(record["power_below"], 0.9)

    def test_false_discovery(self):
        for record in self.each("false_discovery"):
            p = numpy.array(record["p"])
            for ours, mine in zip(record["result"], p):
                # The least rate at which a step-up over the sorted p-values reaches this one.
                larger = numpy.sort(p)[numpy.sort(p) >= mine]
                ranks = numpy.arange(p.size - larger.size + 1, p.size + 1)
                self.near(ours, min(1, (larger * p.size / ranks).min()))

    def test_variance_history(self):
        for record in self.each("variance_history"):
            variances, degrees = numpy.array(record["variances"]), numpy.array(record["degrees"])
            variance, prior = limma_prior(variances, degrees)
            self.near(record["prior_variance"], variance)
            self.near(record["prior_degrees"], prior)
            pooled = (variances * degrees).sum() / degrees.sum()
            self.near(record["pooled_stddev"], math.sqrt(pooled))
            limits = [MOST_DEGREES, degrees.sum()] + ([prior] if degrees.size >= 10 else [])
            self.near(record["pooled_degrees"], min(limits))
            deviations = (numpy.log(variances) - log_bias(degrees)
                          - 2 * numpy.log(record["histories"]) + log_bias(20))
            excess = (deviations ** 2 - special.polygamma(1, degrees / 2)).mean()
            deserved = degrees_of_log_variance(excess) if degrees.size >= 10 else math.inf
            self.near(record["deserved"], min(MOST_DEGREES, deserved))

    def test_spending(self):
        for record in self.each("spending"):
            deviate = stats.norm.isf(record["alpha"] / 2) / math.sqrt(record["information"])
            self.near(record["result"], 2 * stats.norm.sf(deviate))

    def test_crossing(self):
        correlation = math.sqrt(5 / 8)
        step = math.sqrt(1 - correlation ** 2)
        for record in self.each("crossing"):
            chance = integrate.quad(
                lambda z: stats.norm.pdf(z) * stats.norm.sf((record["second"] - correlation * z) / step),
                -12, record["first"], epsabs=1e-15, epsrel=1e-12)[0]
            self.near(record["result"], chance, 1e-8)

    def test_levels(self):
        """The plan's are read off straight lines between the nodes of its table."""
        for record in self.each("levels"):
            looks = numpy.array(record["looks"])
            bounds = boundaries(record["alpha"], looks / looks[-1])
            self.near(stats.norm.isf(record["result"]), bounds, 2e-4)


if __name__ == "__main__":
    unittest.main()
