/** The formulas that correct PM2.5 (S5). What each computes is `rollup.corrected` in sql/rollups; `none` is their absence. */
export const FORMULAS = ['epa-2021'] as const;
export type Formula = (typeof FORMULAS)[number];
