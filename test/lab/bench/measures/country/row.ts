/** A row about a country, judged where bounds are set for its size. */
import type { Row } from '../../run/measure.ts';
import { bootstrap } from '../../run/statistics.ts';

type Bounds = { must: number; goal?: number };

type Measured = {
  id: string;
  title: string;
  unit: string;
  values: readonly number[];
  detail?: string;
  /** By number of stations: networks of other sizes are reported only. */
  bounds?: Record<number, Bounds>;
};

export function countryRow(stations: number, { values, bounds, detail, ...row }: Measured): Row {
  const more =
    values.length === 1
      ? ''
      : `longest ${Math.max(...values).toPrecision(3)} ${row.unit} of ${values.length}`;
  return {
    ...row,
    ...bounds?.[stations],
    stations,
    value: bootstrap(values),
    better: 'lower',
    detail: [detail, more].filter(Boolean).join('; '),
  };
}
