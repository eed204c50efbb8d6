/**
 * What every panel has, in Grafana's classic JSON. charts.ts, tables.ts and map.ts make the kinds
 * of panels from it.
 */
import { PLAIN, type Step } from './colours.ts';
import type { GrafanaPanel, Mapping, Override, Transformation } from './grafanaTypes.ts';
import type { Unit } from './units.ts';

export type Json = { readonly [key: string]: unknown };

export type Target = Json & { refId: string; datasource: { type: string; uid: string } };

export type Common = {
  title: string;
  /** What the panel shows and how to read it: the tooltip of its title. */
  description: string;
  /** Width in grid columns, of 24. */
  w: number;
  h: number;
  targets: readonly Target[];
  unit: Unit;
  decimals?: number;
  steps?: readonly Step[];
  min?: number;
  max?: number;
  /** What stands where there is no value. */
  noValue?: string;
  /** Name of the series, such as a label of it. */
  displayName?: string;
  overrides?: readonly Override[];
  mappings?: readonly Mapping[];
  transformations?: readonly Transformation[];
  /**
   * The panel's own time range, such as `30d`, back from now; Grafana applies it only when the
   * dashboard's range is relative.
   */
  span?: string;
};

export type Panel = GrafanaPanel & {
  readonly title: string;
  readonly w: number;
  readonly h: number;
};

type Kind = {
  type: string;
  /** Settings of every field that this kind of panel adds. */
  custom: Json;
  options: Json;
  color: 'thresholds' | 'palette-classic';
};

export function panel({ type, custom, options, color }: Kind, common: Common): Panel {
  const { title, description, w, h, targets, unit, steps = PLAIN, span } = common;
  const {
    decimals,
    min,
    max,
    noValue,
    displayName,
    mappings = [],
    overrides = [],
    transformations,
  } = common;
  const datasource = targets[0]?.datasource;
  if (datasource === undefined) throw new Error(`${title}: no target`);
  const optional = { decimals, min, max, noValue, displayName };
  return {
    type,
    title,
    description,
    datasource,
    w,
    h,
    targets,
    fieldConfig: {
      defaults: {
        unit,
        color: { mode: color },
        thresholds: { mode: 'absolute', steps },
        mappings,
        ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
        custom,
      },
      overrides,
    },
    options,
    ...(transformations === undefined ? {} : { transformations }),
    ...(span === undefined ? {} : { timeFrom: span, hideTimeOverride: true }),
  } satisfies GrafanaPanel & Json;
}
