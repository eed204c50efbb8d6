/** Colours and thresholds: the six colours of the US EPA at the breakpoints of the AQI, of PM2.5 and of PM10 (May 2024). */

export type Step = { readonly color: string; readonly value: number | null };

export const EPA = {
  good: '#00e400',
  moderate: '#ffff00',
  sensitive: '#ff7e00',
  unhealthy: '#ff0000',
  veryUnhealthy: '#8f3f97',
  hazardous: '#7e0023',
} as const;

/** Grey: no index. */
export const NOTHING = '#8c8c8c';

/** Lines that do not show an index; legible on the dark and the light theme. */
export const LINE = '#3d71d9';
export const SECOND = '#b877d9';
export const GUIDELINE = '#e0226e';

const bands = (starts: readonly number[]): Step[] => [
  { color: NOTHING, value: null },
  ...Object.values(EPA).map((color, n) => ({ color, value: starts[n] ?? null })),
];

export const AQI_STEPS = bands([0, 51, 101, 151, 201, 301]);
export const PM25_STEPS = bands([0, 9.1, 35.5, 55.5, 125.5, 225.5]);
export const PM10_STEPS = bands([0, 55, 155, 255, 355, 425]);

/** Green below a limit, red from it on. */
export const limit = (value: number): Step[] => [
  { color: EPA.good, value: null },
  { color: EPA.unhealthy, value },
];

export const PLAIN: Step[] = [{ color: LINE, value: null }];
