"""Writes the comparison as text for people."""

import re

import compare

BEGIN = "<!-- tools/validate writes from here -->"
END = "<!-- to here -->"
HEADS = {"p50": "p50", "p90": "p90", "p99": "p99", "delay": "delay"}


def number(value):
    """Three digits, with k and M."""
    if value is None:
        return "-"
    for limit, divisor, suffix in ((1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= limit:
            return f"{value / divisor:.3g}{suffix}"
    return f"{value:.3g}"


def microseconds(value):
    return number(None if value is None else value / 1000)


def ratio(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def spread(one, form=number):
    if one is None:
        return "not measured"
    return f"{form(one.median)} ({form(one.low)} to {form(one.high)})"


def cell(row, column, form=number):
    """"1.04 of 812k (790k to 830k)"."""
    return f"{ratio(row.ratio(column))} of {spread(row.real[column], form)}"


def yes(is_met):
    return "yes" if is_met else "**no**"


def main_table(rows):
    lines = ["| case | throughput | met? | switches | met? | migrations / s |", "|---|---|---|---|---|---|"]
    for row in rows:
        per = row.case.unit.split("/")[0].rstrip("s") if row.case.per_operation else "s"
        lines.append(f"| {row.case.name} | {cell(row, 'throughput')} {row.case.unit} | {yes(row.throughput_is_met())} "
                     f"| {cell(row, 'switches')} per {per} | {yes(row.switches_are_met())} | {cell(row, 'migrations')} |")
    return lines


def latency_table(rows):
    lines = ["| case | wakeup p50 / us | p90 / us | p99 / us | mean run delay / us |", "|---|---|---|---|---|"]
    for row in rows:
        cells = " | ".join(cell(row, column, microseconds) for column in ("p50", "p90", "p99", "delay"))
        lines.append(f"| {row.case.name} | {cells} |")
    return lines


def percent(parts):
    return " ".join(f"{100 * part:.1f}" for part in parts)


def share_table(rows):
    with_shares = [row for row in rows if row.real_shares]
    if not with_shares:
        return []
    lines = ["", "| mix | CPU time of each, real / % | simulated / % |", "|---|---|---|"]
    return lines + [f"| {row.case.name} | {percent(row.real_shares)} | {percent(row.simulated_shares)} |"
                    for row in with_shares]


def order_table(orders):
    lines = ["| order of | pairs that agree | pairs that do not | no clear order on the machine |", "|---|---|---|---|"]
    return lines + [f"| {one.name} | {one.right} | {'; '.join(one.wrong) or 'none'} | {one.unclear} |" for one in orders]


def summary(rows, orders):
    throughput = sum(row.throughput_is_met() for row in rows)
    switches = sum(row.switches_are_met() for row in rows)
    right, wrong = sum(one.right for one in orders), sum(len(one.wrong) for one in orders)
    return [f"Throughput within 15 %: {throughput} of {len(rows)} cases. Switches within a factor of 2: {switches} of {len(rows)}. "
            f"Order of settings: {right} of {right + wrong} pairs that differ clearly."]


def conditions(facts):
    return [f"{facts['cpu_model']}, {facts['cpus']} CPUs ({facts['virtualization']}), Linux {facts['kernel']}, simulated as "
            f"`{facts['policy']}`. {facts['rounds']} real runs of each case, by turns; {facts['traced_rounds']} more were traced for latencies; "
            f"{facts['seeds']} seeds. Taken by the host: {facts['steal_permille']:.1f} permille. Load before: {facts['load_before']:.2f}."]


def short(rows, orders, facts):
    """For a page that has other things to say."""
    return "\n".join([*conditions(facts), "", *summary(rows, orders), "", *main_table(rows), "", *order_table(orders)])


def whole(rows, orders, facts):
    return "\n".join([*conditions(facts), "", *summary(rows, orders), "",
                      "Each cell is simulated / real, of the medians, and the real median with the least and the greatest run.", "",
                      *main_table(rows), "", *latency_table(rows), *share_table(rows), "", *order_table(orders),
                      "", *cost_table(facts["calibration"])])


def cost_table(calibration):
    lines = ["| cost | ns | from |", "|---|---|---|"]
    for name, row in calibration["costs"].items():
        lines.append(f"| {name} | {row['value']} | {row['source']} |")
    lines += ["", "| measured | median | least | quartiles | of |", "|---|---|---|---|---|"]
    for name, row in calibration["measurements"].items():
        if row:
            lines.append(f"| {name} | {row['median']:.1f} | {row['minimum']:.1f} | {row['lower_quartile']:.1f} to "
                         f"{row['upper_quartile']:.1f} | {row['rounds']} |")
    return lines


def write_between_marks(path, text):
    """Replaces what stands between the marks of a page. ValueError where it has none."""
    page = path.read_text()
    pattern = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"{path}: has no lines {BEGIN!r} and {END!r} to write between")
    path.write_text(pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", page))
