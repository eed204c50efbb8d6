/** How pages and the widget look: one sheet each, light and dark, from 320 pixels up. Colours of categories are the US EPA's. */
import { CATEGORIES, CATEGORY_NAMES } from './scale.ts';

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 12h17a4 4 0 1 0-4-4M3 17h23a4 4 0 1 1-4 4M3 22h12a3 3 0 1 1-3 3" fill="none" stroke="#2a78c8" stroke-width="2.5" stroke-linecap="round"/></svg>';

/** The names of the categories that have a colour of their own. */
const COLOURED = CATEGORIES.map(({ name }) => name);

const LIGHT =
  '--paper: #fff; --ink: #1c2126; --soft: #57606a; --line: #d5dae0; --raised: #f4f6f8; --link: #0a5fb4; --series: #2a78c8; --band: #2a78c833;';
const DARK =
  '--paper: #14181c; --ink: #e4e8ec; --soft: #a0a9b3; --line: #343b43; --raised: #1d2329; --link: #6fb3f5; --series: #6fb3f5; --band: #6fb3f533;';
const COLOURS = `--good: #00e400; --moderate: #ffff00; --sensitive: #ff7e00; --unhealthy: #ff0000; --very-unhealthy: #8f3f97; --hazardous: #7e0023;
  --unknown: #8b949e; --offline: #8b949e;`;

/** A category in words, on its colour. */
const CHIPS = `.chip { display: inline-block; padding: 0 .7em; border-radius: .85em; font-size: .9em; line-height: 1.6; color: #000; background: var(--unknown); }
${COLOURED.map((name) => `.chip.${name} { background: var(--${name}); }`).join('\n')}
.chip.very-unhealthy, .chip.hazardous { color: #fff; background: #8f3f97; }
.chip.hazardous { background: #7e0023; }
.chip.unknown { color: var(--ink); background: var(--raised); border: 1px dashed var(--soft); }
.chip.offline { color: var(--ink); background: none; border: 2px solid var(--unknown); }`;

export const STYLE = `:root {
  color-scheme: light dark;
  ${LIGHT} --k: 1.6;
  ${COLOURS}
}
@media (prefers-color-scheme: dark) {
  :root { ${DARK} --hazardous: #b3123f; --very-unhealthy: #b061b8; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 16px 32px; max-width: 1200px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
.home, h1, li, p { overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
header, nav, .languages { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; }
header { justify-content: space-between; padding: 12px 0; border-bottom: 1px solid var(--line); }
.home { font-weight: 700; font-size: 1.15rem; color: var(--ink); text-decoration: none; }
.languages { gap: 12px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; background: var(--paper); padding: 8px; z-index: 1; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 20px 0 12px; }
h2 { font-size: 1.25rem; margin: 28px 0 8px; }
h3 { font-size: 1rem; margin: 20px 0 4px; }
h1 small { font-weight: 400; font-size: 1rem; color: var(--soft); }
small, .path { color: var(--soft); }
.path { margin: 16px 0 0; }
footer { margin-top: 40px; border-top: 1px solid var(--line); font-size: .9rem; color: var(--soft); }
#stale, .warning { background: #fff3c4; color: #3d2f00; padding: 8px 12px; border-radius: 6px; }
.overview { display: grid; grid-template-columns: minmax(0, 8fr) minmax(0, 7fr); gap: 0 32px; align-items: start; }
.regions, .overview ul { list-style: none; padding: 0; margin: 0; }
.regions > li { padding: 10px 0; border-bottom: 1px solid var(--line); }
.regions ul { margin-left: 16px; }
.regions li li, details li { padding: 4px 0; }
summary { cursor: pointer; padding: 4px 0; }
.line { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; }
.line a { flex: 1 1 8em; }
.pm, time { white-space: nowrap; }
.pm { min-width: 9.5em; margin-left: auto; text-align: right; font-variant-numeric: tabular-nums; }
.of { margin: -8px 0 12px; }
${CHIPS}
.legend .chip { margin: 2px 0; }
.map { position: relative; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); overflow: hidden; }
.map svg { display: block; width: 100%; max-height: 75vh; touch-action: pan-y; }
.map.zoomed svg { touch-action: none; cursor: grab; }
.zoom { position: absolute; top: 8px; right: 8px; display: grid; gap: 4px; }
.zoom[hidden] { display: none; }
.dot, .rim { fill: none; stroke: #0008; stroke-width: 13px; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.rim { stroke-width: 15px; }
.rim.unknown { stroke-width: 9px; }
.dot.unknown { stroke-width: 7px; }
.rim.offline { stroke: var(--offline); }
${CATEGORY_NAMES.map((name) => `.dot.${name} { stroke: var(--${name}); } .bubble.${name} rect { fill: var(--${name}); }`).join('\n')}
.dot.offline { stroke: var(--raised); stroke-width: 9px; }
.bubble { transform: scale(var(--k)); }
.bubble rect { stroke: #0008; }
.bubble text { text-anchor: middle; font: 700 14px system-ui, sans-serif; fill: #000; }
.bubble .name { font-weight: 400; font-size: 13px; fill: var(--ink); paint-order: stroke; stroke: var(--raised); stroke-width: 4px; }
.bubble.very-unhealthy text:not(.name), .bubble.hazardous text:not(.name) { fill: #fff; }
.bubble.unknown rect { fill: var(--paper); stroke-dasharray: 3; stroke: var(--soft); }
.bubble.unknown text { fill: var(--ink); }
button, select, input { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; padding: 4px 10px; min-height: 36px; }
.zoom button { width: 36px; padding: 0; }
button { cursor: pointer; }
button[aria-pressed=true] { background: var(--ink); color: var(--paper); }
.now .chip { font-size: 1.1rem; }
.big { font-size: 1.5rem; margin: 8px 0 0; }
.now p { margin: 4px 0; }
table { border-collapse: collapse; }
th, td { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 400; }
td { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; max-height: 60vh; overflow-y: auto; }
.controls { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
.address { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 6px 0; }
code, pre { font: .85rem/1.5 ui-monospace, monospace; }
.address > code, .address > pre { background: var(--raised); border-radius: 6px; padding: 6px 10px; overflow-x: auto; max-width: 100%; }
.address > code { overflow-wrap: anywhere; }
.address > pre { margin: 4px 0; }
.embedded { padding: 8px 16px; }
.embedded h1 { font-size: 1.1rem; margin: 0; }
.embedded p { margin: 4px 0; }
@media (max-width: 300px) { .embedded { padding: 8px; font-size: 14px; line-height: 1.4; } .embedded h1, .embedded .chip { font-size: 1em; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 8px 0; }
dd { margin: 0; }
.frame, .later { min-height: 300px; }
.frame[hidden] { display: none; }
.chart .u-over { cursor: crosshair; }
.live { min-height: 1.5em; margin: 4px 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.what { margin: 4px 0; color: var(--soft); }
.scroll { width: fit-content; max-width: 100%; }
.scroll td, .scroll tbody th { white-space: nowrap; }
.scroll thead th { position: sticky; top: 0; background: var(--paper); color: var(--soft); }
.calendar { overflow-x: auto; padding: 4px 0; }
.calendar svg { display: block; width: 100%; min-width: 680px; }
.calendar text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.calendar .year { font: 700 16px system-ui, sans-serif; fill: var(--ink); }
.calendar rect { stroke: #0003; cursor: pointer; }
${COLOURED.map((name) => `.calendar .${name} { fill: var(--${name}); }`).join('\n')}
.calendar .unknown { fill: var(--raised); stroke: var(--soft); stroke-dasharray: 2; }
.calendar .incomplete { fill-opacity: .45; }
.calendar .at { stroke: var(--ink); stroke-width: 2.5; stroke-dasharray: none; }
.rule { max-width: 70ch; border-left: 3px solid var(--line); padding-left: 12px; }
button:disabled { opacity: .5; cursor: default; }
.button { display: inline-flex; align-items: center; min-height: 36px; padding: 4px 14px; border: 1px solid var(--soft); border-radius: 6px; text-decoration: none; }
.button:not([href]) { opacity: .6; }
@media (max-width: 520px) { .scroll th, .scroll td { padding-right: 10px; } #indices dl { grid-template-columns: minmax(0, 1fr); } #indices dd { margin-bottom: 8px; } }
@media (max-width: 800px) { .overview { grid-template-columns: minmax(0, 1fr); } :root { --k: 2.6; } }
@media (max-width: 480px) { .line a { flex: 1 0 100%; } .pm { min-width: 0; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;

/** The widget's, within its shadow root. Its lengths are of its own size of letters, not of the page around it. */
export const WIDGET_STYLE = `:host { display: block; max-width: 22em; color-scheme: light; font: 16px/1.4 system-ui, sans-serif; ${LIGHT} ${COLOURS} }
:host([hidden]) { display: none; }
:host([size=small]) { font-size: 13px; }
:host([size=large]) { font-size: 21px; }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { color-scheme: dark; ${DARK} } }
:host([theme=dark]) { color-scheme: dark; ${DARK} }
div { padding: .6em .9em; border: 1px solid var(--line); border-radius: .5em; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
p { margin: .25em 0; }
a { color: var(--link); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.title { font-weight: 700; }
.title a { color: inherit; }
.values { display: flex; flex-wrap: wrap; gap: .2em .8em; align-items: baseline; }
.values > * { white-space: nowrap; }
.values > .chip { white-space: normal; }
small { color: var(--soft); font-size: .8em; }
.notice { font-size: .85em; padding: .3em .5em; border-radius: .3em; background: #fff3c4; color: #3d2f00; }
${CHIPS}`;
