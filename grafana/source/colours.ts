/** Colours and thresholds: the six colours of the US EPA at the breakpoints of the AQI, of PM2.5 and of PM10 (May 2024). */
import type { Mapping } from './grafanaTypes.ts';

export type Step = { readonly color: string; readonly value: number | null };

/** Written as rgb(): Grafana 13.2 takes a `#rrggbb` that ends in `00` for transparent where a series is coloured by value. */
export const EPA = {
  good: 'rgb(0, 228, 0)',
  moderate: 'rgb(255, 255, 0)',
  sensitive: 'rgb(255, 126, 0)',
  unhealthy: 'rgb(255, 0, 0)',
  veryUnhealthy: 'rgb(143, 63, 151)',
  hazardous: 'rgb(126, 0, 35)',
} as const;

/** Categories as api.aqi_category() names them, best first, each with its colour. */
export const CATEGORIES = [
  { name: 'Good', color: EPA.good },
  { name: 'Moderate', color: EPA.moderate },
  { name: 'Unhealthy for sensitive groups', color: EPA.sensitive },
  { name: 'Unhealthy', color: EPA.unhealthy },
  { name: 'Very unhealthy', color: EPA.veryUnhealthy },
  { name: 'Hazardous', color: EPA.hazardous },
] as const;

/** Bands as api.european_index() names them, best first, in the colours of the European Environment Agency. */
export const BANDS = [
  { name: 'good', color: 'rgb(80, 240, 230)' },
  { name: 'fair', color: 'rgb(80, 204, 170)' },
  { name: 'moderate', color: 'rgb(240, 230, 65)' },
  { name: 'poor', color: 'rgb(255, 80, 80)' },
  { name: 'very poor', color: 'rgb(150, 0, 50)' },
  { name: 'extremely poor', color: 'rgb(125, 33, 129)' },
] as const;

/** Grey: unknown. It is the first step of every scale, because that step also colours what has no value. */
export const NOTHING = '#8c8c8c';

/** Lines that do not show an index; legible on the dark and the light theme. */
export const LINE = '#3d71d9';
export const SECOND = '#b877d9';
export const GUIDELINE = '#e0226e';

const bands = (starts: readonly number[]): Step[] => [
  { color: NOTHING, value: null },
  ...CATEGORIES.map(({ color }, n) => ({ color, value: starts[n] ?? null })),
];

export const AQI_STEPS = bands([0, 51, 101, 151, 201, 301]);
export const PM25_STEPS = bands([0, 9.1, 35.5, 55.5, 125.5, 225.5]);
export const PM10_STEPS = bands([0, 55, 155, 255, 355, 425]);

type Steps = readonly { readonly color: string; readonly value: number }[];

/** Grey without a value, green from 0 on, then the other colours from theirs on. */
export const fromGood = (...steps: Steps): Step[] => [
  { color: NOTHING, value: null },
  { color: EPA.good, value: 0 },
  ...steps,
];

/** Grey without a value, red from 0 on, then the other colours from theirs on: for numbers that must not be 0. */
export const fromNone = (...steps: Steps): Step[] => [
  { color: NOTHING, value: null },
  { color: EPA.unhealthy, value: 0 },
  ...steps,
];

/** Grey without a value, green below a limit, red from it on. */
export const limit = (value: number): Step[] => fromGood({ color: EPA.unhealthy, value });

export const PLAIN: Step[] = [{ color: LINE, value: null }];

/** Colours of texts that api.aqi_text() makes, such as "79 · Moderate"; such a column keeps its order, because Grafana sorts digits by value. */
export const AQI_TEXTS: readonly Mapping[] = CATEGORIES.map(({ name, color }, index) => ({
  type: 'regex',
  options: { pattern: `/· ${name}$/`, result: { color, index } },
}));

export const BAND_TEXTS: readonly Mapping[] = BANDS.map(({ name, color }, index) => ({
  type: 'regex',
  options: { pattern: `/^${name}$/`, result: { color, index } },
}));
