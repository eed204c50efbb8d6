/**
 * Remembers what a source that comes in several batches has given, because an empty cell withdraws
 * what was stored before, and never what another row of its own source gave, however far apart the
 * two stand (S3). So the empty cells of readings with a value wait for the end of the source
 * (withdrawEmpty); a reading without any value withdraws at once what no earlier row has given.
 * Sixteen bytes a reading, and none for readings newer than all that were stored before the source
 * came: a source that is imported for the first time takes no memory.
 */
import { READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { type Empty, type MergedBatch, unusableIn } from './mergeBatch.ts';
import type { Checked } from './validate.ts';

export type SourceMemory = {
  /** The empty parameters that are withdrawn with the batch itself. */
  emptyNow(batch: MergedBatch): Empty[];
  /** Notes a batch once it is stored. The ordinals, from 1, are those of logic.store_readings. */
  note(batch: MergedBatch, outcome: { accepted: number[]; refused: number[] }): void;
  /** At the end of the source: the parameters that its readings only ever left empty. */
  open(most: number): Generator<Open[]>;
};

/** `time`: in microseconds since 1970. `isAccepted`: a reading of that time counted as accepted. */
type Open = { sensor: number; time: number; names: ReadingColumn[]; isAccepted: boolean };

const NAMES = READING_COLUMNS.map(({ name }) => name as ReadingColumn);
const bitOf = new Map(NAMES.map((name, index) => [name as string, 1 << index]));
/** Beside the parameters that are given. */
const ACCEPTED = 1 << NAMES.length;

/**
 * `storedUntil`: the time of the newest reading of a sensor that was stored before the source came,
 * in microseconds since 1970.
 */
export function makeSourceMemory(
  storedUntil: (sensor: number) => number = () => Number.POSITIVE_INFINITY,
): SourceMemory {
  const logs = new Map<number, Log>();
  const mayBeStored = ({ sensorId = 0, time = 0 }: Checked) => time <= storedUntil(sensorId);
  return {
    emptyNow: ({ checked, empty }) =>
      empty.filter(({ index, name }) => {
        const one = checked[index] as Checked;
        if (one.reason === undefined || !mayBeStored(one)) return false;
        const given = logs.get(one.sensorId ?? 0)?.givenAt(one.time ?? 0) ?? 0;
        return (given & (bitOf.get(name) ?? 0)) === 0;
      }),
    note({ checked, parameters, values, into, empty }, { accepted, refused }) {
      const left = new Map<number, number>();
      for (const { index, name } of empty)
        left.set(index, (left.get(index) ?? 0) | (bitOf.get(name) ?? 0));
      const isAccepted = new Set(accepted);
      const isRefused = new Set(refused);
      for (const [index, one] of checked.entries()) {
        if (one.reason !== undefined && one.reason !== 'no_value') continue;
        // a value that cannot be used takes nothing away either (S2)
        let given = 0;
        for (const name of unusableIn(one)) given |= bitOf.get(name) ?? 0;
        const isStored =
          one.reason === undefined && into[index] === undefined && !isRefused.has(index + 1);
        if ((!isStored && given === 0) || !mayBeStored(one)) continue;
        if (isStored) {
          if (isAccepted.has(index + 1)) given |= ACCEPTED;
          values(index).forEach((value, position) => {
            if (value !== null) given |= bitOf.get(parameters[position]?.name ?? '') ?? 0;
          });
        }
        const sensor = one.sensorId as number;
        let log = logs.get(sensor);
        if (log === undefined) {
          log = makeLog();
          logs.set(sensor, log);
        }
        log.add(one.time as number, given, isStored ? (left.get(index) ?? 0) : 0);
      }
    },
    *open(most) {
      let all: Open[] = [];
      for (const [sensor, log] of logs) {
        for (const { time, given, empty } of log.entries()) {
          const names = NAMES.filter((_, index) => empty & ~given & (1 << index));
          if (names.length === 0) continue;
          all.push({ sensor, time, names, isAccepted: (given & ACCEPTED) !== 0 });
          if (all.length < most) continue;
          yield all;
          all = [];
        }
      }
      if (all.length > 0) yield all;
    },
  };
}

type Log = ReturnType<typeof makeLog>;

/** The readings of one sensor: their times, what they give, and what they leave empty. */
function makeLog() {
  let times = new Float64Array(64);
  let given = new Int32Array(64);
  let empty = new Int32Array(64);
  let count = 0;
  /** False: readings have to be put in order, and those of one time together. */
  let isInOrder = true;
  const putInOrder = () => {
    if (isInOrder) return;
    isInOrder = true;
    const order = Array.from({ length: count }, (_, index) => index);
    order.sort((a, b) => (times[a] as number) - (times[b] as number));
    const before = { times, given, empty };
    times = new Float64Array(times.length);
    given = new Int32Array(times.length);
    empty = new Int32Array(times.length);
    count = 0;
    for (const index of order) {
      const time = before.times[index] as number;
      if (count === 0 || time !== times[count - 1]) count += 1;
      times[count - 1] = time;
      given[count - 1] = (given[count - 1] as number) | (before.given[index] as number);
      empty[count - 1] = (empty[count - 1] as number) | (before.empty[index] as number);
    }
  };
  return {
    add(time: number, itsGiven: number, itsEmpty: number): void {
      if (count === times.length) {
        times = grown(times, Float64Array);
        given = grown(given, Int32Array);
        empty = grown(empty, Int32Array);
      }
      if (count > 0 && time <= (times[count - 1] as number)) isInOrder = false;
      times[count] = time;
      given[count] = itsGiven;
      empty[count] = itsEmpty;
      count += 1;
    },
    /** The parameters given at a time. */
    givenAt(time: number): number {
      putInOrder();
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((times[middle] as number) < time) low = middle + 1;
        else high = middle;
      }
      return low < count && times[low] === time ? (given[low] as number) : 0;
    },
    *entries(): Generator<{ time: number; given: number; empty: number }> {
      putInOrder();
      for (let index = 0; index < count; index++)
        yield {
          time: times[index] as number,
          given: given[index] as number,
          empty: empty[index] as number,
        };
    },
  };
}

function grown<T extends Float64Array | Int32Array>(before: T, type: new (size: number) => T): T {
  const after = new type(before.length * 2);
  after.set(before);
  return after;
}
