# SPDX-License-Identifier: Apache-2.0
"""Simulated against measured cycles as an SVG: a point per kernel, the diagonal, and the band of 10 %."""
import html
import math

WIDTH, HEIGHT, MARGIN = 640, 560, 64
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")     # told apart by people who do not see all colours


def _decades(values):
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def draw(title, sets):
    """`sets`: (name, kernels)."""
    points = [(i, k) for i, (_, kernels) in enumerate(sets) for k in kernels]
    low, high = _decades([value / k.launches for _, k in points for value in k.cycles])
    span = high - low

    def x(value):
        return MARGIN + (math.log10(value) - low) / span * (WIDTH - 2 * MARGIN)

    def y(value):
        return HEIGHT - MARGIN - (math.log10(value) - low) / span * (HEIGHT - 2 * MARGIN)

    first, last = 10.0 ** low, 10.0 ** high
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f"<title>{html.escape(title)}</title>", '<rect width="100%" height="100%" fill="white"/>',
           '<clipPath id="frame"><rect x="{0}" y="{0}" width="{1}" height="{2}"/></clipPath>'.format(
               MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN)]
    for decade in range(low, high + 1):
        value = 10.0 ** decade
        out += [f'<path d="M{x(value):.1f} {y(first):.1f}V{y(last):.1f}M{x(first):.1f} {y(value):.1f}H{x(last):.1f}" stroke="#ddd"/>',
                f'<text x="{x(value):.1f}" y="{y(first) + 18:.1f}" text-anchor="middle">10<tspan dy="-5" font-size="9">{decade}</tspan></text>',
                f'<text x="{x(first) - 8:.1f}" y="{y(value) + 4:.1f}" text-anchor="end">10<tspan dy="-5" font-size="9">{decade}</tspan></text>']
    out.append(f'<path clip-path="url(#frame)" fill="#eee" d="M{x(first):.1f} {y(first * 1.1):.1f}L{x(last):.1f} {y(last * 1.1):.1f}'
               f'L{x(last):.1f} {y(last * 0.9):.1f}L{x(first):.1f} {y(first * 0.9):.1f}Z"/>')
    out.append(f'<path d="M{x(first):.1f} {y(first):.1f}L{x(last):.1f} {y(last):.1f}" stroke="#888"/>')
    for i, (_, kernels) in enumerate(sets):
        places = [(k.cycles[1] / k.launches, k.cycles[0] / k.launches) for k in kernels]
        out.append(f'<path stroke="{COLOURS[i % len(COLOURS)]}" stroke-opacity="0.6" stroke-width="5" stroke-linecap="round" d="' +
                   "".join(f"M{x(measured):.1f} {y(simulated):.1f}h0" for measured, simulated in places) + '"/>')
    for i, (name, _) in enumerate(sets):
        out.append(f'<circle cx="{MARGIN + 12}" cy="{MARGIN + 14 + 18 * i}" r="4" fill="{COLOURS[i % len(COLOURS)]}"/>'
                   f'<text x="{MARGIN + 22}" y="{MARGIN + 18 + 18 * i}">{html.escape(name)}</text>')
    out += [f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="15">{html.escape(title)}</text>',
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle">measured, cycles per launch (the band is 10 %)</text>',
            f'<text transform="translate(18 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">simulated, cycles per launch</text>', "</svg>"]
    return "\n".join(out) + "\n"
