/** Numbers and tables. */
import type { Some, StatOptions, TableField, TableOptions } from './grafanaTypes.ts';
import { type Common, type Panel, panel } from './panel.ts';

type Stat = Common & { text?: string };

/** One number, or one word if `text` names its column, in the colour of its threshold. */
export function stat({ text, ...common }: Stat): Panel {
  const options = {
    reduceOptions: { calcs: ['lastNotNull'], fields: text === undefined ? '' : `/^${text}$/`, values: false },
    colorMode: 'value',
    graphMode: 'none',
    textMode: 'value',
    justifyMode: 'center',
  } as const satisfies Some<StatOptions>;
  return panel({ type: 'stat', custom: {}, options, color: 'thresholds' }, { noValue: 'no data', ...common });
}

/** `cells` are settings of every column. */
export function table({ cells = {}, ...common }: Common & { cells?: Some<TableField> }): Panel {
  const custom = { align: 'auto', ...cells } as const satisfies Some<TableField>;
  const options = { showHeader: true, cellHeight: 'sm', sortBy: [] } as const satisfies Some<TableOptions>;
  return panel({ type: 'table', custom, options, color: 'thresholds' }, { noValue: '–', ...common });
}
