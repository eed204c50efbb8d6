/** Numbers and tables. */
import type { Some, StatOptions, TableField, TableOptions } from './grafanaTypes.ts';
import { type Common, type Panel, panel } from './panel.ts';

type Stat = Common & { text?: string; named?: boolean };

/**
 * One number, or one word if `text` names its column, in the colour of its threshold; `named`:
 * several, each with the name of its column.
 */
export function stat({ text, named, ...common }: Stat): Panel {
  const options = {
    reduceOptions: {
      calcs: ['lastNotNull'],
      fields: text === undefined ? '' : `/^${text}$/`,
      values: false,
    },
    colorMode: 'value',
    graphMode: 'none',
    textMode: named ? 'value_and_name' : 'value',
    justifyMode: 'center',
    // of a size of their own, Grafana lets one long text shrink all of them
    ...(named ? { wideLayout: false, text: { titleSize: 13, valueSize: 24 } } : {}),
  } as const satisfies Some<StatOptions>;
  return panel(
    { type: 'stat', custom: {}, options, color: 'thresholds' },
    { noValue: 'no data', ...common },
  );
}

/** `cells` are settings of every column. */
export function table({ cells = {}, ...common }: Common & { cells?: Some<TableField> }): Panel {
  const custom = { align: 'auto', ...cells } as const satisfies Some<TableField>;
  const options = {
    showHeader: true,
    cellHeight: 'sm',
    sortBy: [],
  } as const satisfies Some<TableOptions>;
  return panel(
    { type: 'table', custom, options, color: 'thresholds' },
    { noValue: '–', ...common },
  );
}
