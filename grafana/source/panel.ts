/** Panels in Grafana's classic JSON, with the defaults that all dashboards share. */
import { PLAIN, type Step } from './colours.ts';
import type { Unit } from './units.ts';

export type Json = { [key: string]: unknown };

export type Target = Json & { refId: string; datasource: Json };

type Common = {
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
  overrides?: readonly Json[];
  mappings?: readonly Json[];
  /** The panel's own time range, such as `30d`, back from now; Grafana applies it only when the dashboard's range is relative. */
  span?: string;
};

export type Panel = Json & { title: string; type: string; w: number; h: number };

function panel(type: string, common: Common, custom: Json, options: Json, color: Json): Panel {
  const { title, description, w, h, targets, unit, decimals, steps = PLAIN, min, max, span } = common;
  const datasource = targets[0]?.datasource;
  if (datasource === undefined) throw new Error(`${title}: no target`);
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
        color,
        thresholds: { mode: 'absolute', steps },
        mappings: common.mappings ?? [],
        ...(decimals === undefined ? {} : { decimals }),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        custom,
      },
      overrides: common.overrides ?? [],
    },
    options,
    ...(span === undefined ? {} : { timeFrom: span, hideTimeOverride: true }),
  };
}

type Drawn = Common & {
  /** Bars and points instead of lines. */
  draw?: 'line' | 'bars' | 'points';
  /** Thresholds as bands behind the series, or as the colour of each value. */
  bands?: 'behind' | 'value';
  stacked?: boolean;
  legend?: 'list' | 'table' | 'hidden';
  /** The line breaks where values are further apart than this. */
  gapMs?: number;
};

export function timeseries(given: Drawn): Panel {
  const { draw = 'line', bands, stacked = false, legend = 'list', gapMs } = given;
  const custom = {
    drawStyle: draw,
    lineWidth: draw === 'bars' ? 0 : 2,
    fillOpacity: draw === 'bars' ? 80 : stacked ? 30 : 0,
    pointSize: 5,
    showPoints: draw === 'points' ? 'always' : 'auto',
    spanNulls: false,
    insertNulls: gapMs ?? false,
    stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: bands === 'behind' ? 'area' : 'off' },
  };
  const options = {
    legend: {
      showLegend: legend !== 'hidden',
      displayMode: legend === 'table' ? 'table' : 'list',
      placement: 'bottom',
      calcs: legend === 'table' ? ['lastNotNull', 'max'] : [],
    },
    tooltip: { mode: 'multi', sort: 'desc' },
  };
  return panel('timeseries', given, custom, options, { mode: bands === 'value' ? 'thresholds' : 'palette-classic' });
}

type Stat = Common & { show?: 'background' | 'value'; text?: string };

/** One number, or one word if `text` names its column. */
export function stat({ show = 'value', text, ...common }: Stat): Panel {
  const options = {
    reduceOptions: { calcs: ['lastNotNull'], fields: text === undefined ? '' : `/^${text}$/`, values: false },
    colorMode: show,
    graphMode: 'none',
    textMode: 'value',
    justifyMode: 'center',
  };
  return panel('stat', common, {}, options, { mode: 'thresholds' });
}

export function table(common: Common & { sortBy?: { column: string; descending: boolean } }): Panel {
  const { sortBy, ...rest } = common;
  const options = {
    showHeader: true,
    cellHeight: 'sm',
    sortBy: sortBy === undefined ? [] : [{ displayName: sortBy.column, desc: sortBy.descending }],
  };
  return panel('table', rest, { align: 'auto', filterable: true }, options, { mode: 'thresholds' });
}

/** Stacked bars by category: the column `over`. */
export function barChart({ over, ...common }: Common & { over: string }): Panel {
  const options = {
    xField: over,
    orientation: 'vertical',
    stacking: 'normal',
    showValue: 'never',
    legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] },
    tooltip: { mode: 'multi', sort: 'none' },
  };
  return panel('barchart', common, { fillOpacity: 80, lineWidth: 0 }, options, { mode: 'palette-classic' });
}

/** A marker for each row at its `latitude` and `longitude`, coloured and labelled by the column `by`. */
export function map({ by, ...common }: Common & { by: string }): Panel {
  const layer = {
    type: 'markers',
    name: common.title,
    tooltip: true,
    location: { mode: 'coords', latitude: 'latitude', longitude: 'longitude' },
    config: {
      showLegend: true,
      style: {
        color: { field: by, fixed: 'dark-green' },
        size: { fixed: 10, min: 2, max: 15 },
        symbol: { mode: 'fixed', fixed: 'img/icons/marker/circle.svg' },
        text: { mode: 'field', field: by, fixed: '' },
        textConfig: { fontSize: 11, textAlign: 'center', textBaseline: 'middle', offsetX: 0, offsetY: 14 },
        opacity: 0.9,
      },
    },
  };
  const options = {
    view: { id: 'fit', lat: 0, lon: 0, zoom: 12, padding: 10, allLayers: true },
    basemap: { type: 'default', name: 'Basemap' },
    controls: { showZoom: true, mouseWheelZoom: false, showAttribution: true, showScale: true },
    layers: [layer],
    tooltip: { mode: 'details' },
  };
  return panel('geomap', common, {}, options, { mode: 'thresholds' });
}
