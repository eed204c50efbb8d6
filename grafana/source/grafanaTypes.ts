/**
 * Grafana's own types of panels and dashboards, so that a misspelt or outdated setting does not
 * compile. Types only: nothing of it runs.
 */
import type * as schema from '@grafana/schema';
import type { FieldConfig as TimelineField } from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';

export type { Options as BarChartOptions } from '@grafana/schema/dist/esm/raw/composable/barchart/panelcfg/x/BarChartPanelCfg_types.gen';
export type { Options as MapOptions } from '@grafana/schema/dist/esm/raw/composable/geomap/panelcfg/x/GeomapPanelCfg_types.gen';
export type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
export type { Options as TimelineOptions } from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
export type { Options as TableOptions } from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
export type { Options as TimeSeriesOptions } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
export type { Options as TrendOptions } from '@grafana/schema/dist/esm/raw/composable/trend/panelcfg/x/TrendPanelCfg_types.gen';

/** A type as its JSON is written: a string enum as its strings. */
export type Written<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Written<T[Key]> }
      : T;

/** What is written of a type whose defaults Grafana fills in. */
export type Some<T> = Written<Partial<T>>;

export type GraphField = schema.GraphFieldConfig;
export type TableField = schema.TableFieldOptions;
/**
 * The timeline reads the threshold for gaps as the graphs do, but its published type leaves it out.
 */
export type TimelineFieldConfig = TimelineField &
  Pick<schema.GraphFieldConfig, 'insertNulls' | 'spanNulls'>;

/** Scaling a column by its own values is of 2023, and still not in the published type. */
type Field = Omit<schema.FieldConfig, 'custom'> & { fieldMinMax?: boolean };
type Custom = GraphField & TableField & TimelineFieldConfig;

/**
 * Settings of one column: those of a field by name, those of its kind of panel behind `custom.`.
 */
export type Properties = Some<Field> & {
  readonly [Key in keyof Custom as `custom.${Key & string}`]?: Written<Custom[Key]>;
};

export type Mapping = Written<schema.ValueMapping>;
export type Transformation = Written<schema.DataTransformerConfig>;
export type Override = Written<schema.FieldConfigSource['overrides'][number]>;
export type GrafanaPanel = Written<schema.Panel>;
export type GrafanaDashboard = Written<schema.Dashboard>;
export type Variable = Written<schema.VariableModel>;
export type AnnotationQuery = Some<schema.AnnotationQuery>;
export type DashboardLink = Written<schema.DashboardLink>;
