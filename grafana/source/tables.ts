/** Numbers and tables. */
import type { Some, StatOptions, TableField, TableOptions } from './grafanaTypes.ts';
import { type Common, type Panel, panel } from './panel.ts';

type Stat = Common & { show?: 'background' | 'value'; text?: string };

/** One number, or one word if `text` names its column. */
export function stat({ show = 'value', text, ...common }: Stat): Panel {
  const options = {
    reduceOptions: { calcs: ['lastNotNull'], fields: text === undefined ? '' : `/^${text}$/`, values: false },
    colorMode: show === 'background' ? 'background_solid' : 'value',
    graphMode: 'none',
    textMode: 'value',
    justifyMode: 'center',
  } as const satisfies Some<StatOptions>;
  return panel({ type: 'stat', custom: {}, options, color: 'thresholds' }, { noValue: 'no data', ...common });
}

/** `filterable`: whether columns have a filter in their header. */
export function table({ filterable = true, ...common }: Common & { filterable?: boolean }): Panel {
  const custom = { align: 'auto', filterable } as const satisfies Some<TableField>;
  const options = { showHeader: true, cellHeight: 'sm', sortBy: [] } as const satisfies Some<TableOptions>;
  return panel({ type: 'table', custom, options, color: 'thresholds' }, { noValue: '–', ...common });
}
