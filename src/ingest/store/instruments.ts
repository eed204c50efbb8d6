/** Where the ranges of instruments end, by the kind that the network file gives a sensor (S1). */
import type { ReadingColumn } from '../../contract/parameters.ts';
import { isOfKind } from '../formats/airrohr.ts';
import { readNumber } from '../numbers.ts';

/** By parameter, the value that is the end of the range: it and all above are no concentrations. */
export type RangeEnds = Readonly<Partial<Record<ReadingColumn, number>>>;

type Instrument = {
  /** As isOfKind compares them. */
  kinds: readonly string[];
  ends: RangeEnds;
  source: string;
};

/**
 * Only instruments that stand still at their end. Plantower's name only a least maximum (PMS5003:
 * "not less than 1000"), Sensirion's a range for which they vouch (SPS30: 0 to 1000), and both send
 * more than that.
 */
const INSTRUMENTS: readonly Instrument[] = [
  {
    kinds: ['sds011'],
    ends: { pm25: 999.9, pm25_raw: 999.9, pm10: 1_999.9 },
    source:
      'Nova Fitness, Laser PM2.5 Sensor specification, SDS011, V1.3 (2015-10-09): 0.0 to 999.9 µg/m³; the largest PM10 in the archive of Sensor.Community is 1999.9',
  },
];

/** Undefined for a kind that is not in the list. */
export function rangeEndsOf(kind: string | null): RangeEnds | undefined {
  return kind === null ? undefined : INSTRUMENTS.find(({ kinds }) => isOfKind(kind, kinds))?.ends;
}

const LOWEST_END = Math.min(...INSTRUMENTS.flatMap(({ ends }) => Object.values(ends)));
const PARAMETERS_WITH_END = [
  ...new Set(INSTRUMENTS.flatMap(({ ends }) => Object.keys(ends) as ReadingColumn[])),
];

/** True for values of which one is the end of a range, if the sensor is of a kind in the list. */
export const mayBeAtEnd = (values: Readonly<Partial<Record<ReadingColumn, unknown>>>): boolean =>
  PARAMETERS_WITH_END.some((name) => (readNumber(values[name]) ?? 0) >= LOWEST_END);
