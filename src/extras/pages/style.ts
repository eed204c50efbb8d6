/**
 * How pages and the widget look: six colours and the colours of the categories, light and dark;
 * five sizes of letters; spaces of 4, 8, 16, 24 and 40 pixels; cards. The hues of categories are
 * the US EPA's, in tones on which text has a contrast of 4.5 and which have 3 on both grounds; the
 * yellow, which has 1.6 on white, by a darker edge.
 */
import { CATEGORIES, CATEGORY_NAMES, type Category } from './scale.ts';

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 12h17a4 4 0 1 0-4-4M3 17h23a4 4 0 1 1-4 4M3 22h12a3 3 0 1 1-3 3" fill="none" stroke="#2a78c8" stroke-width="2.5" stroke-linecap="round"/></svg>';

/** The colour of the browser's own frame. */
export const THEMES = { light: '#f3f5f8', dark: '#0f1317' } as const;

const INK = '#10151a';
const LIGHT_TONES = ['#2e9a4e', '#f5c518', '#dc6803', '#d3302f', '#8e3fa8', '#7a0f2e'];
const DARK_TONES = ['#45b868', '#d9ab1a', '#ee8434', '#ef5b57', '#b877cf', '#ff7aa5'];
const COLOURED = CATEGORIES.map(({ name }) => name);

/** The ground of each category and the colour of letters on it, in the light. */
export const SURFACES = Object.fromEntries(
  CATEGORY_NAMES.map((name, n) => [
    name,
    [LIGHT_TONES[n] ?? '#e4e8ed', n > 2 && n < 6 ? '#ffffff' : INK],
  ]),
) as Readonly<Record<Category, [string, string]>>;

const tones = (all: readonly string[]) =>
  COLOURED.map((name, n) => `--${name}: ${all[n]};`).join(' ');
const LIGHT = `--ground: ${THEMES.light}; --paper: #fff; --ink: #17202a; --soft: #525d69; --line: #d5dce4; --link: #0b5cad; --series: #2a6fc0; --band: #2a6fc033; --on-dark: #fff; --offline: #6b7682; --yellow-edge: #8f6b00; ${tones(LIGHT_TONES)}`;
const DARK = `--ground: ${THEMES.dark}; --paper: #171c22; --ink: #e6eaee; --soft: #a3adb8; --line: #323b45; --link: #74b4f5; --series: #74b4f5; --band: #74b4f533; --on-dark: ${INK}; --offline: #8b96a1; --yellow-edge: transparent; ${tones(DARK_TONES)}`;

const SCHEMES = `:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }`;

/** Everywhere: a category in words, on its colour, an index, and what warns. */
const COMMON = `.chip, .map .pin, .index { color: ${INK}; background: var(--tone); }
${COLOURED.map((name) => `.${name} { --tone: var(--${name}); }`).join(' ')}
.moderate { --edge: var(--yellow-edge); }
.chip, .index { box-shadow: inset 0 0 0 1px var(--edge, transparent); }
.chip { display: inline-block; padding: 0 .7em; border-radius: .85em; font-size: .875em; line-height: 1.7; }
:is(.chip, .pin, .index):is(.unhealthy, .very-unhealthy, .hazardous) { color: var(--on-dark); }
:is(.chip, .pin, .index):is(.unknown, .offline) { color: var(--ink); background: var(--paper); border: 1px dashed var(--soft); }
:is(.chip, .pin, .index).offline { border: 2px solid var(--offline); }
.index { display: flex; align-items: center; gap: 1em; padding: .5em 1em; border-radius: .75em; margin: .5em 0; width: fit-content; max-width: 100%; line-height: 1.2; }
.index :is(b, s) { line-height: 1.1; white-space: nowrap; overflow-wrap: normal; }
.index span { font-weight: 600; }
.index small { display: block; font-weight: 400; color: inherit; }
#stale, .warning { background: #fff3c4; color: #3d2f00; padding: .5em 1em; border-radius: .5em; }`;

/** A function, so that the bundle of the widget leaves it out. */
export const pageStyle = () => `${SCHEMES}
:root { --land-area: #dce3ea; --land-line: #bcc6d1; }
@media (prefers-color-scheme: dark) { :root { --land-area: #212a33; --land-line: #3d4955; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 16px 40px; max-width: 1440px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
[hidden] { display: none !important; }
.home, h1, li, p, dd { overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
header, nav, .languages { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; }
header { justify-content: space-between; padding: 16px 0; }
.home { font-weight: 700; font-size: 20px; color: var(--ink); text-decoration: none; }
.languages { gap: 16px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; background: var(--paper); padding: 8px; z-index: 1001; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 16px; }
h2 { font-size: 20px; line-height: 1.3; margin: 0 0 8px; }
h3 { font-size: 16px; margin: 16px 0 4px; }
p { margin: 8px 0; }
small, .path, .when, .soft, figcaption { color: var(--soft); }
small, .when, figcaption, .path { font-size: 14px; }
.path { margin: 0 0 4px; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 16px; margin: 0 0 16px; min-width: 0; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
footer { margin-top: 24px; font-size: 14px; color: var(--soft); }
.warning p { margin: 0; }
${COMMON}
.head, .pair, .overview { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 16px; align-items: start; }
.index :is(b, s) { font-size: 44px; }
.index span { font-size: 20px; }
.index small { font-size: 13px; }
.main { font-size: 20px; margin: 8px 0 0; }
.main b { font-size: 28px; }
.advice { margin: 8px 0 0; padding: 0; list-style: none; }
figure { margin: 0; }
svg.day { display: block; width: 100%; max-height: 320px; }
.day text { font: 9px system-ui, sans-serif; fill: var(--soft); }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--line); stroke-width: .7; }
.day rect { fill: var(--tone, var(--series)); stroke: var(--edge, none); stroke-width: .7; }
.day .bare { fill: transparent; }
.day .suspect { fill: transparent; stroke: var(--soft); stroke-width: .7; stroke-dasharray: 2; }
svg .trace, .spark path, .arrow { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.groups { display: flex; flex-wrap: wrap; gap: 0 24px; }
.groups > div { max-width: 100%; }
.groups h3 { margin-top: 8px; }
.tiles { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; }
.tile { flex: 1 0 140px; max-width: 184px; border: 1px solid var(--line); border-radius: 8px; padding: 8px; }
.tile dt { font-size: 14px; color: var(--soft); line-height: 1.3; }
.tile dd { margin: 0; font-size: 20px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.spark { display: block; width: 100%; height: 24px; margin-top: 4px; }
.spark path { stroke-width: 1.5; }
.spark rect { fill: var(--series); }
.tile[class*=band-] { border-left: 6px solid var(--tone); }
.tile .word, .tile small { display: block; white-space: normal; font-size: 14px; line-height: 1.3; }
.tile small { font-size: 13px; }
.band-good { --tone: #2bb5b0; } .band-fair { --tone: var(--good); } .band-moderate { --tone: var(--moderate); }
.band-poor { --tone: var(--unhealthy); } .band-very-poor { --tone: var(--hazardous); } .band-extremely-poor { --tone: var(--very-unhealthy); }
.wind { width: 20px; height: 20px; vertical-align: -4px; }
.summary { font-size: 20px; line-height: 1.3; margin: 0 0 8px; }
.trend { margin: 0; }
.list dt { font-weight: 600; }
.list dd { margin: 0 0 8px; }
.overview ul { list-style: none; padding: 0; margin: 0; }
.regions > li { padding: 8px 0; border-bottom: 1px solid var(--line); }
.regions > li:last-child { border: 0; }
.regions > li { position: relative; }
.regions:has(.fold) .line { padding-right: 40px; }
.fold > summary { position: absolute; top: 4px; right: 0; width: 36px; height: 36px; padding: 0; display: grid; place-items: center; }
.fold > summary::-webkit-details-marker { display: none; }
.fold > summary::after { content: ''; width: 8px; height: 8px; border: solid var(--soft); border-width: 0 2px 2px 0; transform: translateY(-2px) rotate(45deg); }
.fold[open] > summary::after { transform: translateY(2px) rotate(225deg); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.overview ul ul { margin: 8px 0 0 16px; }
.overview li li, details li { padding: 4px 0; }
summary { cursor: pointer; padding: 4px 0; }
summary h2 { display: inline; }
.line { display: grid; grid-template: "box name pm" "box word spark" / 56px minmax(0, 1fr) minmax(160px, max-content); gap: 0 12px; align-items: center; }
.line .box { grid-area: box; padding: 0; border-radius: 8px; font-size: 18px; font-weight: 700; line-height: 40px; text-align: center; }
.line a { grid-area: name; }
.line .word { grid-area: word; color: var(--soft); font-size: 14px; line-height: 1.3; }
.line .spark { grid-area: spark; height: 20px; margin: 0; }
.pm, time { white-space: nowrap; }
.pm { grid-area: pm; text-align: right; font-variant-numeric: tabular-nums; }
.legend .chip { margin: 2px 0; }
.map { height: min(60vh, 560px); min-height: 260px; border-radius: 8px; background: var(--ground); z-index: 0; font: inherit; }
.map:not(.tiled) { background: var(--ground); }
.map .outline { fill: var(--soft); fill-opacity: .09; stroke: none; }
.map .ground { fill: none; stroke: var(--land-line); stroke-width: 1.5; }
.map .water { fill: var(--land-area); stroke: none; fill-opacity: 1; }
.map .area { fill: var(--land-area); stroke: none; fill-opacity: .5; }
.map .river { stroke: var(--land-area); stroke-width: 3; }
.map .border { stroke-dasharray: 8 4 2 4; stroke-width: 1; }
.map .net { stroke: var(--line); stroke-width: 1; }
.leaflet-glow-pane { opacity: .35; }
.map .glow { fill: var(--tone); fill-opacity: 1; stroke: none; }
.degrees span { position: absolute; font: 11px/14px system-ui, sans-serif; color: var(--soft); white-space: nowrap; }
.degrees.latitude span { right: 4px; bottom: 1px; } .degrees.longitude span { left: 3px; top: 2px; }
.district span { position: absolute; transform: translate(-50%, -50%); font: italic 13px/16px system-ui, sans-serif; color: var(--soft); white-space: nowrap; }
.map.tiled .district span { color: #444; text-shadow: 0 0 3px #fff, 0 0 3px #fff; }
.pin.own { box-shadow: 0 0 0 3px var(--ink); }
.map .me { fill: var(--link); stroke: var(--paper); stroke-width: 3; fill-opacity: 1; }
.pin { display: block; position: relative; min-width: 40px; padding: 0 4px; border: 2px solid var(--paper); border-radius: 13px; font: 700 14px/22px system-ui, sans-serif; text-align: center; text-decoration: none; box-shadow: 0 0 0 1px #0006; }
.pin.station { border-radius: 6px; }
.pin.several { box-shadow: 0 0 0 1px #0006, 3px 3px 0 var(--paper), 3px 3px 0 1px #0006; }
.pin .name { position: absolute; top: 24px; left: 50%; transform: translateX(-50%); font: 13px/16px system-ui, sans-serif; white-space: nowrap; color: var(--ink); text-shadow: 0 0 3px var(--paper), 0 0 3px var(--paper), 0 0 3px var(--paper), 0 0 3px var(--paper); }
.map.tiled .pin .name { color: #10151a; text-shadow: 0 0 3px #fff, 0 0 3px #fff, 0 0 3px #fff, 0 0 3px #fff; }
.map .leaflet-bar a, .map .leaflet-control-scale-line, .map .leaflet-control-attribution { background: var(--paper); color: var(--ink); border-color: var(--line); text-shadow: none; }
.map .leaflet-control-attribution a { color: var(--link); text-decoration: underline; }
.map .leaflet-popup-content-wrapper, .map .leaflet-popup-tip { background: var(--paper); color: var(--ink); }
.map .leaflet-popup-content a { display: block; padding: 4px 0; font-size: 14px; }
button, select, input { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; padding: 4px 12px; min-height: 36px; max-width: 100%; }
button, .button { cursor: pointer; }
::placeholder { color: var(--soft); opacity: 1; }
button[aria-pressed=true] { background: var(--ink); color: var(--paper); }
button:disabled { opacity: .5; cursor: default; }
.button { display: inline-flex; align-items: center; min-height: 36px; padding: 4px 16px; border: 1px solid var(--soft); border-radius: 8px; text-decoration: none; }
.button:not([href]) { opacity: .6; }
table { border-collapse: collapse; }
th, td { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tr:last-child > * { border-bottom: 0; }
th { font-weight: 400; }
thead th { color: var(--soft); font-size: 14px; }
td { font-variant-numeric: tabular-nums; }
.scroll { overflow: auto; max-height: 60vh; width: fit-content; max-width: 100%; }
.scroll td, .scroll tbody th { white-space: nowrap; }
.scroll thead th { position: sticky; top: 0; background: var(--paper); }
.controls { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; align-items: center; }
.controls input[type=search] { flex: 1 1 160px; min-width: 0; }
.address { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
.address > code, .address > pre { background: var(--ground); border-radius: 8px; padding: 4px 8px; max-width: 100%; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.later { min-height: 300px; }
.chart { cursor: crosshair; min-height: 300px; }
.chart svg { display: block; width: 100%; }
.chart text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.chart .stripe { fill: var(--tone); opacity: .17; }
.chart .band { fill: var(--band); shape-rendering: crispEdges; }
.chart .sum, .chart .dot { fill: var(--series); }
.chart .hollow { fill: var(--paper); stroke: var(--series); stroke-width: 2; }
.chart .trace.suspect { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 3 4; }
.chart .hollow.suspect { stroke: var(--soft); stroke-width: 1; }
.suspect .dashes { border-color: var(--soft); }
.chart .arrow { stroke-width: 1.5; }
.chart .guideline { stroke: var(--ink); stroke-dasharray: 6 4; }
.dashes { display: inline-block; width: 24px; border-top: 2px dashed var(--ink); vertical-align: middle; }
.chart .cursor { stroke: var(--soft); fill: var(--series); pointer-events: none; }
.live { min-height: 1.5em; margin: 4px 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.what { color: var(--soft); }
.record { display: flex; flex-wrap: wrap; gap: 8px 4px; margin: 8px 0; }
.record button { flex: 1 1 96px; max-width: 320px; padding: 4px 0; border: 0; background: none; font-size: 14px; line-height: 1.3; color: var(--soft); }
.record [aria-current=true] { color: var(--ink); font-weight: 700; }
.record svg { display: block; width: 100%; height: 32px; }
.record rect { fill: var(--tone); stroke: var(--edge, #0003); vector-effect: non-scaling-stroke; }
.record .unknown { fill: none; stroke: var(--soft); stroke-dasharray: 2; }
.calendar { display: flex; }
.calendar > div { overflow-x: auto; padding: 4px 0; flex: 1; }
.calendar svg { display: block; width: 100%; min-width: 648px; }
.calendar svg.weekdays { flex: 0 0 max(28.8px, 4.255%); min-width: 0; padding: 4px 0; box-sizing: content-box; }
.calendar text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.calendar rect { fill: var(--tone); stroke: var(--edge, #0003); cursor: pointer; }
.calendar .unknown { fill: var(--paper); stroke: var(--soft); stroke-dasharray: 2; }
.incomplete { fill-opacity: .45; }
.calendar .at { stroke: var(--ink); stroke-width: 2.5; stroke-dasharray: none; }
.folded > summary { padding: 4px 0; }
.later:has(.folded:not([open])) { min-height: 0; }
.rule { max-width: 70ch; border-left: 3px solid var(--line); padding-left: 12px; }
@media (max-width: 520px) { .calendar svg { min-width: 1620px; } .calendar svg.weekdays { flex: 0 0 30px; height: 254px; } .calendar text { font-size: 6px; } .scroll { mask-image: linear-gradient(90deg, #000 calc(100% - 32px), transparent); } .calendar > div { padding: 4px 24px; mask-image: linear-gradient(90deg, transparent, #000 24px calc(100% - 24px), transparent); } .groups > div { width: 100%; } .tiles { gap: 0 8px; } .tile { flex: 1 0 100%; max-width: none; display: grid; grid-template-columns: minmax(0, 1fr) max-content max-content; gap: 0 12px; align-items: baseline; border-width: 0 0 1px; border-radius: 0; padding: 4px 0; } .tile[class*=band-] { padding-left: 8px; } .tile dd { font-size: 16px; text-align: right; } .tile dt + dd { grid-column: 3; } .tile .word { grid-area: 1 / 2; } .tile small { white-space: nowrap; } .tile dd:has(.spark) { grid-column: 1 / 4; display: flex; gap: 12px; align-items: center; } .tile .spark { height: 16px; margin: 0; min-width: 0; flex: 1; } .controls { gap: 8px 4px; } .controls button { padding: 4px 8px; } .scroll table { margin-right: 32px; } .scroll th, .scroll td { padding-right: 8px; font-size: 14px; } .day text { font-size: 10.5px; } h1 { font-size: 24px; margin-bottom: 8px; } body { padding: 0 12px 24px; } .card { padding: 12px; } header { padding: 8px 0; } }
@media (max-width: 480px) { nav > a { display: none; } .line { grid-template-columns: 48px minmax(0, 1fr) minmax(136px, max-content); gap: 0 8px; } .regions:has(.fold) .line { padding-right: 32px; } .regions:has(.fold) ul .line { padding-right: 0; } .overview ul ul { margin-left: 0; } .pm { font-size: 14px; } .map { height: 45vh; } }
@media (min-width: 800px) {
  .tomap { display: none; }
  .head { grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .overview { grid-template-columns: minmax(0, 6fr) minmax(0, 7fr); }
  .overview > .side { position: sticky; top: 16px; grid-column: 2; grid-row: 1; align-self: stretch; display: flex; flex-direction: column; max-height: calc(100vh - 32px); }
  .overview > .side .map { flex: 1 1 auto; height: auto; min-height: min(60vh, 560px); }
  .overview > .side .map[data-own] { min-height: 320px; }
  .day text { font-size: 6.5px; }
}
@media (min-width: 1200px) { .day text { font-size: 6px; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { ${LIGHT} }
  @page { margin: 10mm; }
  body { padding: 0; background: #fff; zoom: .6; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .skip, .controls, button, details:not([open], .folded), .inputs, #developers, #download, #calendar, #record, #months, .side, .spark, .legend, .what + p, #history small, noscript, details:not(.folded) > summary, [download], [data-live=list], [data-live=indices], [data-live=values], figure, .advice, .advice + p { display: none !important; }
  .folded > summary { list-style: none; } .folded::details-content { content-visibility: visible; block-size: auto; }
  .card { border: 0; padding: 0; margin: 0 0 8px; break-inside: avoid; }
  .pair { grid-template-columns: 1fr 1fr; }
  .chart { min-height: 0; } .head { display: block; }
  .scroll { max-height: none; width: 100%; overflow: visible; } .scroll table { width: 100%; }
  .scroll th, .scroll td { padding: 0 8px 0 0; line-height: 1.2; }
}
`;

/** The API reference in the colours of the pages; it comes after Swagger UI's own style. */
export const DOCS_STYLE = `#reference * { color: var(--ink); border-color: var(--line); box-shadow: none; text-shadow: none; font-family: inherit; }
#reference :is(code, pre, pre *, .opblock-summary-path *, .parameter__type, .prop-type, .prop-format, textarea) { font-family: ui-monospace, monospace; }
#reference :is(.opblock, .opblock-section-header, .scheme-container, .download-contents, .opblock-body, .responses-inner, .model-box, .models, .model-container, input, select, textarea, .btn, table, tr, td, th) { background: var(--paper); }
#reference .wrapper { max-width: none; padding: 0; }
#reference .scheme-container { padding: 8px 0; border: 0; }
#reference .opblock { border: 1px solid var(--line); border-radius: 8px; }
#reference .opblock-summary-method, #reference .btn.execute { background: var(--link); color: var(--paper); border-color: var(--link); }
#reference a { color: var(--link); }
#reference svg { fill: var(--ink); }
#reference pre { background: var(--ground) !important; color: var(--ink) !important; border-radius: 8px; }
#reference .copy-to-clipboard { display: none; }
#reference :is(.version, .version-stamp, .version-stamp *) { background: var(--ground); color: var(--ink); }
#reference :is(.parameter__name.required span, .parameter__name.required::after) { color: var(--ink); }
#reference .opblock-tag small, #reference .parameter__in, #reference .parameter__extension { color: var(--soft); }
#reference ::placeholder { color: var(--soft); opacity: 1; }
#reference :is(input, select, textarea, .btn, .download-contents) { border: 1px solid var(--soft); }`;

/** The current values for other sites. All lengths follow one font size. */
const EMBEDDED = `* { box-sizing: border-box; }
h1 { font-size: 1.1em; line-height: 1.2; margin: 0; }
h1 a { color: inherit; }
p { margin: .25em 0; }
a { color: var(--link); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.when { color: var(--soft); font-size: .8em; }
${COMMON}
.index { display: inline-flex; margin: .25em .25em .25em 0; padding: .25em .6em; gap: .6em; }
.index:has(s) small { display: none; }
.index, .main { vertical-align: middle; }
.main { display: inline-block; }
.index :is(b, s) { font-size: 1.75em; }
.index small { font-size: .75em; }
.main b { font-size: 1.25em; }
#stale, .warning { font-size: .85em; line-height: 1.3; padding: .3em .6em; }`;

/** The style of pages in frames. */
export const frameStyle = () => `${SCHEMES}
body { margin: 0; padding: .5em .75em; background: var(--paper); color: var(--ink); font: 16px/1.4 system-ui, sans-serif; overflow-wrap: anywhere; }
body:has(.warning) { font-size: 14px; }
@media (max-width: 300px) { body { padding: .5em; font-size: 13px; } }
${EMBEDDED}`;

/** The widget's, within its shadow root, whatever the page around it has. */
export const WIDGET_STYLE = `:host { display: block; max-width: 22em; color-scheme: light; font: 16px/1.4 system-ui, sans-serif; ${LIGHT} }
:host([hidden]) { display: none; }
:host([size=small]) { font-size: 13px; }
:host([size=large]) { font-size: 21px; }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { color-scheme: dark; ${DARK} } }
:host([theme=dark]) { color-scheme: dark; ${DARK} }
.card { padding: .6em .9em; border: 1px solid var(--line); border-radius: .75em; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
${EMBEDDED}`;
