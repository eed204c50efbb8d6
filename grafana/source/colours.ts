/**
 * Colours and thresholds: the colours of the US EPA at the breakpoints of the AQI, of PM2.5 and of
 * PM10 (May 2024). The yellow is the pages': the EPA's glares, and can't be seen on white.
 */
import type { Mapping } from './grafanaTypes.ts';

export type Step = { readonly color: string; readonly value: number | null };

/**
 * Written as rgb(): Grafana 13.2 takes a `#rrggbb` that ends in `00` for transparent where a series
 * is coloured by value.
 */
export const EPA = {
  good: 'rgb(0, 228, 0)',
  moderate: 'rgb(245, 197, 24)',
  sensitive: 'rgb(255, 126, 0)',
  unhealthy: 'rgb(255, 0, 0)',
  veryUnhealthy: 'rgb(143, 63, 151)',
  hazardous: 'rgb(126, 0, 35)',
} as const;

/**
 * Categories as api.aqi_category() names them, best first, each with its colour; `ink` is the shade
 * of it in which a number can be read on the dark and the light theme, and `cell` the one behind a
 * number in a table. Grafana writes dark digits only on what it takes for bright: not on the green
 * and the orange of the EPA, and white ones on its red are too faint.
 */
export const CATEGORIES = [
  { name: 'Good', color: EPA.good, ink: 'rgb(0, 150, 0)', cell: 'rgb(110, 240, 110)' },
  { name: 'Moderate', color: EPA.moderate, ink: 'rgb(170, 140, 0)', cell: EPA.moderate },
  {
    name: 'Unhealthy for sensitive groups',
    color: EPA.sensitive,
    ink: 'rgb(225, 105, 0)',
    cell: 'rgb(255, 170, 60)',
  },
  { name: 'Unhealthy', color: EPA.unhealthy, ink: 'rgb(230, 30, 30)', cell: 'rgb(224, 0, 0)' },
  {
    name: 'Very unhealthy',
    color: EPA.veryUnhealthy,
    ink: 'rgb(165, 85, 175)',
    cell: EPA.veryUnhealthy,
  },
  { name: 'Hazardous', color: EPA.hazardous, ink: 'rgb(200, 50, 100)', cell: EPA.hazardous },
] as const;

/**
 * Bands as api.european_index() names them, best first, in legible shades of the colours of the
 * European Environment Agency.
 */
export const BANDS = [
  { name: 'good', ink: 'rgb(0, 150, 150)' },
  { name: 'fair', ink: 'rgb(25, 150, 105)' },
  { name: 'moderate', ink: 'rgb(160, 145, 0)' },
  { name: 'poor', ink: 'rgb(235, 60, 60)' },
  { name: 'very poor', ink: 'rgb(200, 50, 100)' },
  { name: 'extremely poor', ink: 'rgb(165, 85, 175)' },
] as const;

/**
 * Grey: unknown. It is the first step of every scale, because that step also colours what has no
 * value.
 */
export const NOTHING = '#8c8c8c';

/** Lines that do not show an index; legible on the dark and the light theme. */
export const LINE = '#3d71d9';
export const SECOND = '#b877d9';
export const GUIDELINE = '#e0226e';

/** Colours of lines that are compared: none is like another, or like that of a category. */
export const LINES = [LINE, '#1ea0be', '#9682f0', '#e66ebe', '#aa7d5f', '#008782'] as const;

/**
 * Which shade of the categories is meant: behind or beside something, of a number, or behind a
 * number in a table.
 */
type Shade = 'color' | 'ink' | 'cell';

/**
 * The categories from the given numbers on; what has no value is grey, but in a table it stands on
 * nothing.
 */
const bands =
  (...starts: readonly number[]) =>
  (shade: Shade): Step[] => [
    { color: shade === 'cell' ? 'transparent' : NOTHING, value: null },
    ...CATEGORIES.map((category, n) => ({ color: category[shade], value: starts[n] ?? null })),
  ];

export const aqiSteps = bands(0, 51, 101, 151, 201, 301);
export const pm25Steps = bands(0, 9.1, 35.5, 55.5, 125.5, 225.5);
export const pm10Steps = bands(0, 55, 155, 255, 355, 425);

/** Colours of a number that is as it should be, that deserves a look, and that must not be. */
const [{ ink: FINE }, , { ink: NOTABLE }, { ink: WRONG }] = CATEGORIES;

type Steps = readonly { readonly color: string; readonly value: number }[];

/**
 * A number in grey without a value, in green from 0 on, then in the other colours from theirs on.
 */
const fromGood = (...steps: Steps): Step[] => [
  { color: NOTHING, value: null },
  { color: FINE, value: 0 },
  ...steps,
];

/** Green below a limit, red from it on. */
export const limit = (value: number): Step[] => fromGood({ color: WRONG, value });

/** Green for none, orange for any. */
export const noneIsGood: Step[] = fromGood({ color: NOTABLE, value: 1 });

/** Red for none and, if there can be `tooMany`, from those on; green between. */
export const someAreNeeded = (): Step[] => [
  { color: NOTHING, value: null },
  { color: WRONG, value: 0 },
  { color: FINE, value: 1 },
];

/** In a table: nothing up to a limit, red from it on. */
export const above = (value: number): Step[] => [
  { color: 'transparent', value: null },
  { color: CATEGORIES[3].cell, value },
];

export const PLAIN: Step[] = [{ color: LINE, value: null }];

/**
 * Colours of texts that api.aqi_text() makes, such as "79 · Moderate"; such a column keeps its
 * order, because Grafana sorts digits by value.
 */
export const aqiTexts = (shade: Shade): readonly Mapping[] =>
  CATEGORIES.map(({ name, [shade]: color }, index) => ({
    type: 'regex',
    options: { pattern: `/· ${name}$/`, result: { color, index } },
  }));

export const BAND_TEXTS: readonly Mapping[] = BANDS.map(({ name, ink: color }, index) => ({
  type: 'regex',
  options: { pattern: `/^${name}$/`, result: { color, index } },
}));
