/**
 * Generates the steps of a run from its seed: plain data, each valid without the others, so that a
 * failure can be shrunk.
 */
import type { ReadingColumn } from '../../../src/contract/parameters.ts';
import { LEVELS } from '../../../src/schema/aggregates.ts';
import { bucketStart, instantOf, localDate } from '../../support/localTime.ts';
import { type Random, seeded } from '../../support/random.ts';
import { type Axes, EVENTS, MOMENTS, NETWORK_EVENTS, pairsOf, STATEMENTS, VALUES } from './axes.ts';
import { FIRST, type Network, type Period, REGIONS, SENSORS, STATIONS } from './network.ts';

/** Null: the source has the parameter, and leaves it empty (S3). */
type Values = Partial<Record<ReadingColumn, number | null>>;
export type Reading = { sensor: number; at: string; values: Values };
export type Step = Axes & {
  write?: Reading[];
  /** The rows to write come as a file; `number` is how other steps name it. */
  file?: { number: number; form: 'csv' | 'ndjson' };
  /** The number of a file whose import is undone after that. */
  undo?: number;
  remove?: { sensor: number; from: string; to: string }[];
  network?: Network;
  /** Readings older than `keep` are deleted, or readings from `lower` on accepted again if possible. */
  retain?: { keep: string } | { lower: string };
  /** A number is written over a column of a row of the level, counted in order of time. */
  tamper?: { level: string; row: number; column: string; value: string };
  /** Particles are screened at an instant, beginning with another (C9). */
  screen?: { since: string; at: string };
  /** Days and months from an instant on are as by other rules, with clocks ahead by `hours` (Z5). */
  rules?: { from: string; hours: number };
  /** The time of the clock for a lazy refresh, which leaves the running day, before `then`. */
  now?: string;
  /** The aggregates are rebuilt by another definition while the step happens. */
  upgrade?: true;
  /**
   * The refresh after the step: none, a normal one, one killed midway, or two concurrent ones while
   * the step is being written.
   */
  then: 'nothing' | 'refresh' | 'kill' | 'race';
  /** Compress old chunks afterwards, so that later writes must go into compressed ones. */
  compress?: true;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const THEN = [
  ...['nothing', 'nothing', 'nothing', 'nothing', 'refresh', 'refresh', 'refresh', 'refresh'],
  ...['kill', 'race'],
] as Step['then'][];

/**
 * Anchor days in local time: clock changes (where the zone has them) or else ends of months and
 * years, and a leap day.
 */
const ANCHORS: Record<string, { leap: string; transitions: string[] }> = {
  'Asia/Yerevan': { leap: '2012-02-29', transitions: ['2011-03-27', '2011-10-30'] },
  'Europe/Berlin': { leap: '2024-02-29', transitions: ['2024-03-31', '2024-10-27'] },
  'America/New_York': { leap: '2024-02-29', transitions: ['2024-03-10', '2024-11-03'] },
  UTC: { leap: '2024-02-29', transitions: ['2024-03-31', '2024-12-31'] },
  'America/Asuncion': { leap: '2024-02-29', transitions: ['2023-10-01', '2024-03-24'] },
  'Asia/Kolkata': { leap: '2024-02-29', transitions: ['2024-03-31', '2024-12-31'] },
  'Asia/Kathmandu': { leap: '2024-02-29', transitions: ['2024-03-31', '2024-12-31'] },
  'Australia/Adelaide': { leap: '2024-02-29', transitions: ['2024-04-07', '2024-10-06'] },
};

/** A run of many chapters has a seed, and each of them its own. */
export const chapterSeed = (seed: number, chapter: number) => seed * 1000 + chapter;

/** The first `count` steps of the run with this seed in this zone. */
export function makeSteps(zone: string, seed: number, count: number): Step[] {
  const random = seeded(seed);
  const beside = seeded(seed + 1);
  const files = seeded(seed + 2);
  let imported = 0;
  const seen = new Set<string>();
  const written = new Map<string, Reading>();
  let network = structuredClone(FIRST);
  return Array.from({ length: count }, () => {
    const axes = drawAxes(random, zone, seen);
    const then = random.pick(THEN);
    const instants = shape(random, axes.statement, () => instant(random, zone, axes.moment));
    const step: Step = { ...axes, then };
    if (beside.next() < 0.03) step.compress = true;
    if (beside.next() < 0.01) step.upgrade = true;
    if (axes.event === 'delete') {
      step.remove = instants.map((at) => ({
        sensor: random.pick(SENSORS),
        from: iso(at - random.pick([0, HOUR, DAY])),
        to: iso(at + random.pick([1000, HOUR, DAY])),
      }));
    } else if (NETWORK_EVENTS.some((event) => event === axes.event)) {
      network = changed(random, zone, network, axes.event, instants);
      step.network = network;
    } else if (axes.event === 'retain') {
      step.retain =
        random.next() < 0.3
          ? { lower: iso(instants[0] ?? 0) }
          : { keep: `${random.pick([200, 380, 380, 500, 500, 700, 700, 700])} days` };
    } else if (axes.event === 'tamper') {
      step.tamper = {
        level: random.pick(LEVELS).name,
        row: random.below(1_000_000),
        column: random.pick(['pm25', 'temperature', 'wind_sin', 'rain']),
        value: random.pick(['NaN', 'Infinity', '-1e308', '12345']),
      };
    } else if (axes.event === 'screen') {
      const end = bucketStart(zone, 'hour', instants.at(-1) ?? 0);
      step.write = faultyAir(random, end);
      const at = end + random.pick([0, 0, 3, 26, 50]) * HOUR + random.below(HOUR);
      step.screen = { since: iso(at - random.pick([2, 8, 60]) * DAY), at: iso(at) };
    } else if (axes.event === 'rules') {
      const from = iso(bucketStart(zone, 'hour', instants[0] ?? 0));
      step.rules = { from, hours: random.pick([1, -1]) };
    } else {
      if (axes.event === 'clock') {
        step.now = iso(
          Math.max(...instants) + random.pick([-40 * DAY, -DAY, -HOUR, 0, HOUR, DAY, 40 * DAY]),
        );
      }
      step.write = instants.map((at) => reading({ random, beside }, axes, at, written));
      // other rows of the same source that complete or contradict these
      for (const row of [...step.write])
        if (beside.next() < 0.15) step.write.push({ ...row, values: part(beside, row) });
      for (const row of step.write) written.set(`${row.sensor} ${row.at}`, row);
    }
    if (step.write !== undefined && files.next() < 0.4) {
      imported += 1;
      step.file = { number: imported, form: files.pick(['csv', 'ndjson']) };
      step.write.push(...otherRows(files, written));
    }
    const isAlone = step.retain ?? step.tamper ?? step.screen;
    if (isAlone === undefined && imported > 0 && files.next() < 0.2)
      step.undo = Math.max(1, imported - files.pick([0, 0, 1, 1, 2, 3, 5, 8, 20]));
    return step;
  });
}

/** The draw of a few with the most unseen pairs, so that few steps meet nearly all pairs. */
function drawAxes(random: Random, zone: string, seen: Set<string>): Axes {
  const unseen = (axes: Axes) => pairsOf(axes, zone).filter((pair) => !seen.has(pair)).length;
  const draws = Array.from({ length: 8 }, () => ({
    event: random.pick(EVENTS),
    moment: random.pick(MOMENTS),
    value: random.pick(VALUES),
    statement: random.pick(STATEMENTS),
  }));
  const best = draws.reduce((best, other) => (unseen(other) > unseen(best) ? other : best));
  for (const pair of pairsOf(best, zone)) seen.add(pair);
  return best;
}

function reading(
  { random, beside }: { random: Random; beside: Random },
  axes: Axes,
  at: number,
  written: Map<string, Reading>,
): Reading {
  const sensor = random.pick(SENSORS);
  const fresh = {
    sensor,
    at: iso(axes.event === 'late' ? at - random.pick([0, 400 * DAY]) : at),
    values: ofGauge(sensor, values(random, axes.value)),
  };
  if ((axes.event !== 'correct' && axes.event !== 'repeat') || written.size === 0) return fresh;
  const old = random.pick([...written.values()]);
  if (axes.event === 'repeat') return old;
  // another source, with parameters of its own, and some of the old one's, corrected or empty
  return { ...old, values: { ...part(beside, old), ...ofGauge(old.sensor, fresh.values) } };
}

/** Rows that a file has beside new ones: corrected, emptied, repeated, unusable. */
function otherRows(random: Random, written: Map<string, Reading>): Reading[] {
  const known = [...written.values()].slice(-60);
  if (known.length === 0) return [];
  const rows = Array.from({ length: random.below(6) }, () => {
    const old = random.pick(known);
    const fresh = ofGauge(old.sensor, values(random, random.pick(VALUES)));
    const wrong = random.next() < 0.1 ? { pm25: 9_999_999 } : {};
    return {
      ...old,
      values: { ...part(random, old), ...part(random, { ...old, values: fresh }), ...wrong },
    };
  });
  return rows.flatMap((row) => (random.next() < 0.2 ? [row, row] : [row]));
}

/** Some of the parameters of a reading, with the same value, another one, or none. */
function part(random: Random, { values }: Reading): Values {
  const some = Object.entries(values).filter(() => random.next() < 0.4);
  return Object.fromEntries(
    some.map(([name, value]) => [name, random.pick([value, 1, null, null])]),
  );
}

/**
 * Hours until `end` of a station that screening suspects: stuck, dead, far above its neighbours, or
 * with a sensor that differs from the other one.
 */
function faultyAir(random: Random, end: number): Reading[] {
  const fault = random.pick(['stuck', 'dead', 'high', 'high', 'apart']);
  const station = random.pick(STATIONS);
  const hours = random.pick([10, 14, 26, 50]);
  const column = random.pick(['pm25', 'pm25_raw'] as const);
  const constant = { stuck: 9.5, dead: random.pick([0, -1]) }[fault];
  const factor = fault === 'high' ? 9 : random.pick([1.8, 3]);
  const stationOf = (sensor: number) => Math.floor(sensor / 10);
  // one sensor of each neighbour is enough
  const sensors = SENSORS.filter((sensor) =>
    fault === 'high' ? sensor % 10 === 1 : stationOf(sensor) === station,
  );
  const readings: Reading[] = [];
  for (let at = end - hours * HOUR; at < end; at += HOUR) {
    for (const sensor of sensors) {
      if (random.next() < 0.02) continue;
      const clean = 8 + random.below(60) / 10;
      const isFaulty = sensor % 10 === 1 && stationOf(sensor) === station;
      const value = constant ?? clean * (isFaulty ? factor : 1);
      readings.push({
        sensor,
        at: iso(at + random.pick([0, 20]) * 60_000),
        values: { [column]: value, pm10: 12, humidity: 50 + random.below(20) },
      });
    }
  }
  return readings;
}

/** A sensor whose rain counts up (A6). */
const GAUGE = 22;

function ofGauge(sensor: number, { rain, rain_total: total, ...others }: Values): Values {
  const given = rain ?? total;
  if (given === undefined || given === null) return others;
  // a gauge that counts up may have a second source, which gives amounts
  const isTotal = sensor === GAUGE && (given * 10) % 5 >= 1;
  return isTotal ? { ...others, rain_total: given } : { ...others, rain: given };
}

/** An instant for this moment. Most faults of bucketing need a row exactly on a boundary. */
function instant(random: Random, zone: string, moment: Axes['moment']): number {
  const anchors = ANCHORS[zone];
  if (anchors === undefined) throw new Error(`no anchors for ${zone}`);
  const transition = random.pick(anchors.transitions);
  const [year = 0, month = 0, day = 0] = (moment === 'leap' ? anchors.leap : transition)
    .split('-')
    .map(Number);
  const off = moment === 'transition' || moment === 'leap' ? 0 : random.below(5) - 2;
  const near = instantOf(zone, year, month, day + off);
  const within = near + random.below(25) * HOUR;
  switch (moment) {
    case 'midnight':
    case 'leap':
      return near;
    case 'month':
      return bucketStart(zone, 'month', near + random.pick([0, 31 * DAY]));
    case 'hour':
    case 'transition':
      return bucketStart(zone, 'hour', within);
    case 'before':
      return near - 1000;
    case 'within':
      return within + random.below(HOUR / 1000) * 1000;
  }
}

/** The times of one statement's rows; the last is the one at the moment in question. */
function shape(random: Random, statement: Axes['statement'], at: () => number): number[] {
  const last = at();
  switch (statement) {
    case 'one':
      return [last];
    case 'run':
      return [5, 4, 3, 2, 1, 0].map((n) => last - n * random.pick([HOUR, HOUR / 3]));
    case 'gap':
      return [last - 40 * DAY, last];
    case 'edge':
      return [last - DAY + 1000, last - HOUR / 2, last];
    case 'scattered':
      return [at(), at(), at(), last];
  }
}

function values(random: Random, kind: Axes['value']): Values {
  const noise = () => Math.round(random.next() * 1000) / 10;
  switch (kind) {
    case 'plain':
      return {
        temperature: noise() - 50,
        humidity: noise(),
        pressure: 90_000 + noise(),
        pm25: noise(),
        pm10: noise() * 2,
        no2: noise(),
      };
    case 'sparse':
      return random.next() < 0.5
        ? { temperature: noise() - 50 }
        : { pm10: noise(), usvh: noise() / 100 };
    case 'zero':
      return { temperature: 0, pm25: 0, pm10: 0, rain: 0, wind_speed: 0, wind_direction: 90 };
    case 'negative':
      return {
        temperature: -noise() / 2,
        pm25: -random.next(),
        dust: -random.next(),
        pm25_raw: noise() * 3,
        humidity: noise(),
      };
    case 'high':
      return {
        pm25: 2000,
        pm10: 2000,
        temperature: 60,
        pressure: 110_000,
        uv: 20,
        so2: 5000,
        o3: 5000,
        pm1: 2000,
      };
    case 'wind':
      return {
        wind_direction: random.pick([0, 10, 90, 180, 270, 350, 359.9]),
        wind_speed: noise() / 10,
        rain: noise() / 10,
      };
  }
}

/**
 * Replaces one period of the network: a change from some time on, or a correction of the past; also
 * within hours.
 */
function changed(
  random: Random,
  zone: string,
  before: Network,
  event: string,
  instants: readonly number[],
): Network {
  const network = structuredClone(before);
  const exact = random.next() < 0.5;
  const ends = [
    ...new Set(instants.map((at) => (exact ? at : bucketStart(zone, 'hour', at)))),
  ].sort((a, b) => a - b);
  const first = iso(ends[0] ?? 0);
  const last = ends.length > 1 ? iso(ends[ends.length - 1] ?? 0) : undefined;
  const period: Period =
    random.next() < 0.3 ? {} : { since: first, ...(last === undefined ? {} : { until: last }) };
  const off = random.next() < 0.3;
  const station = random.pick(STATIONS);
  const sensor = random.pick(SENSORS);
  if (event === 'suspect') network.suspicious[sensor] = off ? [] : [period];
  if (event === 'flag') network.bad_thp[station] = off ? [] : [period];
  if (event === 'flag particles')
    network.bad_pm = { ...network.bad_pm, [station]: off ? [] : [period] };
  if (event === 'hide') network.hidden[station] = off ? [] : [period];
  if (event === 'retire') network.hidden[station] = off ? [] : [{ since: first }];
  if (event === 'formula')
    network.corrected[sensor] = off ? [] : [{ formula: 'epa-2021', ...period }];
  if (event === 'move') {
    network.placed[sensor] = off
      ? [{ id: random.pick(STATIONS) }]
      : [
          { id: random.pick(STATIONS), until: first },
          { id: random.pick(STATIONS), since: first },
        ];
  }
  if (event === 'regroup') {
    network.regions[station] = REGIONS.filter(() => random.next() < 0.6).map((slug) => ({
      slug,
      ...(random.next() < 0.5 ? period : {}),
    }));
  }
  return network;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** A step in one line, for messages. */
export function describeStep(step: Step, zone: string): string {
  const at = step.write?.at(-1)?.at ?? step.remove?.at(-1)?.from;
  const local =
    at === undefined ? '' : ` ${Object.values(localDate(zone, Date.parse(at))).join('-')}`;
  const upgrade = step.upgrade ? ' during an upgrade' : '';
  const file = step.file === undefined ? '' : ` as ${step.file.form} file ${step.file.number}`;
  const undo = step.undo === undefined ? '' : `, undo of file ${step.undo}`;
  return `${step.event} ${step.moment} ${step.value} ${step.statement}${local}${file}${undo}${upgrade}, then ${step.then}`;
}
