/**
 * The overlay's style, inside its shadow root: the page's rules do not reach it, and its own do not reach
 * the page. Custom properties do: a page may set `--samestep-accent`, `--samestep-card` and the others.
 */
export const style = `
:host{display:block;
--ink:var(--samestep-ink,light-dark(#1a2033,#e9ecf5));
--soft:var(--samestep-soft,light-dark(#5d6680,#97a0b8));
--card:var(--samestep-card,light-dark(#fff,#191d28));
--line:var(--samestep-line,light-dark(#dde1ec,#2b3143));
--accent:var(--samestep-accent,light-dark(#2f6bf0,#6d9bff));
--warm:light-dark(#d97a00,#f0bf5c);
--good:light-dark(#14804a,#5fd698);--good-back:light-dark(#e2f5ea,#153426);
--fair:light-dark(#8a5a00,#f0bf5c);--fair-back:light-dark(#fdf1d7,#3a2e12);
--bad:light-dark(#b3261e,#ff8f86);--bad-back:light-dark(#fce6e4,#431d1b);
color:var(--ink);font:13px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums;text-align:left}
:host(.floating){position:fixed;z-index:2147483000;top:8px;right:8px;width:300px;max-width:calc(100vw - 16px);
max-height:calc(100vh - 16px);overflow:auto;border-radius:10px;box-shadow:0 4px 20px rgb(0 0 0/.18)}
:host([hidden]),[hidden]{display:none!important}
*{box-sizing:border-box;margin:0}
main{border:1px solid var(--line);border-radius:10px;background:var(--card)}
main>button{display:flex;align-items:center;justify-content:space-between;width:100%;padding:6px 12px;
border:0;border-radius:10px;background:none;font-weight:600}
details{padding:6px 12px 8px;border-top:1px solid var(--line)}
summary{display:flex;align-items:center;justify-content:space-between;min-height:22px;
color:var(--soft);font-size:11px;font-weight:600;letter-spacing:.04em;text-transform:uppercase;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
details[open]>summary{margin-bottom:4px}
.pill{padding:0 8px;border:1px solid var(--line);border-radius:20px;font-size:12px;font-weight:600;
letter-spacing:0;text-transform:none;white-space:nowrap}
.pill.good,.pill.fair,.pill.bad{border-color:transparent}
.good{background:var(--good-back);color:var(--good)}
.fair{background:var(--fair-back);color:var(--fair)}
.bad{background:var(--bad-back);color:var(--bad)}
td.bad{background:none;font-weight:600}
progress{display:block;width:calc(100% - 24px);height:6px;margin:0 12px 8px;accent-color:var(--accent)}
.ticks{display:grid;grid-template-columns:repeat(24,1fr);gap:2px;margin-bottom:6px}
.ticks i{height:13px;border-radius:2px;background:var(--line)}
.ticks .ran,.key.ran,.key.rtt{background:var(--accent)}
.ticks .sealed,.key.sealed{background:color-mix(in srgb,var(--accent) 45%,var(--card))}
.ticks .input,.key.input{background:var(--card);box-shadow:inset 0 0 0 1.5px var(--accent)}
.key.jitter{background:var(--warm)}
.key,.swatch{display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px}
.swatch{border-radius:50%}
dl{display:grid;grid-template-columns:auto 1fr auto 1fr;gap:0 12px}
dl.wide{grid-template-columns:auto 1fr}
dt,th,small{color:var(--soft);font-weight:400;white-space:nowrap}
dd{text-align:right;white-space:nowrap}
.graph{position:relative;height:44px;margin-bottom:6px;border-bottom:1px solid var(--line)}
.graph small{position:absolute;top:0;left:0;font-size:10px;line-height:1}
svg{display:block;width:100%;height:100%}
polyline{fill:none;stroke:var(--accent);stroke-width:1.5;vector-effect:non-scaling-stroke}
polyline.jitter{stroke:var(--warm)}
table{width:100%;border-collapse:collapse}
table{font-size:12px}
td,th{padding:1px 0 1px 6px;text-align:right;white-space:nowrap}
td:first-child,th:first-child{max-width:100px;padding-left:0;overflow:hidden;text-align:left;text-overflow:ellipsis}
.glyph{display:grid;grid-template-columns:repeat(8,1fr);gap:2px;margin-bottom:4px}
.glyph i{height:16px;border-radius:2px;background:var(--line)}
.hash{display:flex;justify-content:space-between;font:12px ui-monospace,monospace}
[role=alert]{margin-top:4px;color:var(--bad);font-size:12px;overflow-wrap:anywhere}
label{display:grid;grid-template-columns:52px 1fr 52px;align-items:center;gap:8px}
output{text-align:right}
input{width:100%;margin:2px 0;accent-color:var(--accent)}
.row{display:flex;flex-wrap:wrap;gap:4px;margin-top:6px}
button{padding:2px 8px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:inherit;font:inherit;cursor:pointer}
button:hover{border-color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
@media(pointer:coarse){button,summary{min-height:36px}}
`
