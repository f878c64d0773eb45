"""How the page looks: light and dark, from phone to desk, nothing loaded from anywhere."""

STYLE = """
:root { color-scheme: light dark; --paper: #fbfbf9; --card: #ffffff; --ink: #1a1a19; --muted: #5f5f5e;
  --faint: #d9d9d8; --yes: #0b6b3a; --yes-back: #e4f4ea; --open: #8a4b00; --open-back: #fdf0dc;
  --accent: #005a91; --blue: #0072b2; --violet: #5d3a9b; }
@media (prefers-color-scheme: dark) { :root { --paper: #161615; --card: #1f1f1e; --ink: #ececea;
  --muted: #a9a9a6; --faint: #434341; --yes: #7fd6a2; --yes-back: #15301f; --open: #f0b762;
  --open-back: #352611; --accent: #7ab8e6; --blue: #3d9bd9; --violet: #a98be0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 780px; margin: 0 auto; padding: 20px 16px 64px; }
h1 { font-size: 1.05rem; font-weight: 600; color: var(--muted); margin: 4px 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 44px 0 8px; }
h3 { font-size: 1.05rem; margin: 28px 0 6px; }
p { margin: 8px 0; overflow-wrap: anywhere; }
.note { color: var(--muted); font-size: .92rem; }
.missing { border-left: 3px solid var(--faint); padding-left: 12px; color: var(--muted); }
.verdict { border-radius: 10px; padding: 16px 18px; background: var(--open-back); }
.verdict.certified { background: var(--yes-back); }
.verdict .state { font-weight: 700; letter-spacing: .03em; color: var(--open); margin: 0; }
.verdict.certified .state { color: var(--yes); }
.verdict .says { font-size: 1.45rem; line-height: 1.3; font-weight: 650; margin: 4px 0 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px;
  margin: 14px 0; }
.card { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; padding: 10px 14px; }
.card b { display: block; font-size: 1.35rem; line-height: 1.3; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.card span { color: var(--muted); font-size: .88rem; display: block; line-height: 1.4; }
figure { margin: 16px 0; background: var(--card); border: 1px solid var(--faint); border-radius: 10px;
  padding: 12px; }
figcaption { font-size: .92rem; color: var(--muted); margin: 0 4px 4px; }
figcaption b { color: var(--ink); display: block; }
figure svg { display: block; width: 100%; height: auto; font-family: inherit; stroke-linejoin: round;
  stroke-linecap: butt; }
figure .narrow { display: none; }
@media (max-width: 640px) { figure .wide { display: none; } figure .narrow { display: block; }
  figure { padding: 8px; } .verdict .says { font-size: 1.25rem; } }
.scroll { overflow-x: auto; margin: 10px 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--muted); padding-bottom: 4px; }
th, td { text-align: left; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--faint);
  vertical-align: top; max-width: 22rem; overflow-wrap: break-word; }
td:first-child { min-width: 7rem; }
th { font-weight: 600; color: var(--muted); vertical-align: bottom; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number { white-space: normal; }
dl { margin: 10px 0; }
dl div { display: grid; grid-template-columns: 11rem 1fr; gap: 2px 14px; padding: 6px 0;
  border-bottom: 1px solid var(--faint); }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 480px) { dl div { grid-template-columns: 1fr; } }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .88em; }
code { overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--faint); border-radius: 8px; padding: 10px 12px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 10px 0; } summary { cursor: pointer; color: var(--accent); }
@media print { figure, .card, .verdict { break-inside: avoid; } body { background: none; } }
"""
