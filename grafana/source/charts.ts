/** Charts: series over time, strips of states over time, lines and bars over something else. */
import type {
  BarChartOptions,
  GraphField,
  Some,
  TimelineFieldConfig,
  TimelineOptions,
  TimeSeriesOptions,
  TrendOptions,
} from './grafanaTypes.ts';
import { type Common, type Panel, panel } from './panel.ts';

type Drawn = Common & {
  /** Bars and points instead of lines. */
  draw?: 'line' | 'bars' | 'points';
  /** Thresholds as bands behind the series. */
  bands?: boolean;
  stacked?: boolean;
  /** A table is below the chart, or beside it, where more than three of its rows can be seen. */
  legend?: 'list' | 'table' | 'right' | 'hidden';
  /** The line breaks where values are further apart than this. */
  gapMs?: number;
};

/** Values over time; a bar stands on its bucket, from its start to its end. */
export function timeseries(given: Drawn): Panel {
  const { draw = 'line', bands = false, stacked = false, legend = 'list', gapMs } = given;
  const custom = {
    drawStyle: draw,
    barAlignment: 1,
    lineWidth: draw === 'bars' ? 0 : 2,
    fillOpacity: draw === 'bars' ? 80 : stacked ? 30 : 0,
    pointSize: 5,
    showPoints: draw === 'points' ? 'always' : 'auto',
    spanNulls: false,
    insertNulls: gapMs ?? false,
    stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: bands ? 'area' : 'off' },
  } as const satisfies Some<GraphField>;
  const options = {
    legend: {
      showLegend: legend !== 'hidden',
      displayMode: legend === 'table' || legend === 'right' ? 'table' : 'list',
      placement: legend === 'right' ? 'right' : 'bottom',
      calcs: legend === 'table' || legend === 'right' ? ['lastNotNull', 'max'] : [],
    },
    tooltip: { mode: 'multi', sort: 'desc' },
  } as const satisfies Some<TimeSeriesOptions>;
  return panel({ type: 'timeseries', custom, options, color: 'palette-classic' }, given);
}

/**
 * A row for each value of the column `row`, with a cell for each bucket; a gap longer than `gapMs`
 * stays empty.
 */
export function strip({ row, gapMs, ...common }: Common & { row: string; gapMs: number }): Panel {
  const custom = {
    fillOpacity: 100,
    lineWidth: 0,
    spanNulls: false,
    insertNulls: gapMs,
  } as const satisfies Some<TimelineFieldConfig>;
  const options = {
    showValue: 'never',
    rowHeight: 0.9,
    mergeValues: false,
    alignValue: 'left',
    legend: { showLegend: false, displayMode: 'list', placement: 'bottom', calcs: [] },
    tooltip: { mode: 'single', sort: 'none' },
  } as const satisfies Some<TimelineOptions>;
  const transformations = [
    {
      id: 'partitionByValues',
      options: { fields: [row], keepFields: false, naming: { asLabels: true } },
    },
  ];
  const displayName = `$\{__field.labels["${row}"]}`;
  return panel(
    { type: 'state-timeline', custom, options, color: 'thresholds' },
    { ...common, transformations, displayName },
  );
}

/** Lines over a number that is not a time: the column `over`, ascending. */
export function trend({ over, ...common }: Common & { over: string }): Panel {
  const custom = {
    drawStyle: 'line',
    lineWidth: 2,
    showPoints: 'auto',
    spanNulls: false,
  } as const satisfies Some<GraphField>;
  const options = {
    xField: over,
    legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] },
    tooltip: { mode: 'multi', sort: 'none' },
  } as const satisfies Some<TrendOptions>;
  return panel({ type: 'trend', custom, options, color: 'palette-classic' }, common);
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
  } as const satisfies Some<BarChartOptions>;
  return panel(
    {
      type: 'barchart',
      custom: { fillOpacity: 80, lineWidth: 0 },
      options,
      color: 'palette-classic',
    },
    common,
  );
}
