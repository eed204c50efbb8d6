/**
 * Renders the documents of `explore/v1`: one query each, whose long parts the database writes as
 * text.
 */
import type { Clock } from '../base/clock.ts';
import { CSV_HEADERS, describeCsv, METADATA_SUFFIX } from '../contract/csv.ts';
import type { Locale } from '../contract/endpoints.ts';
import { type ExploreName, MAX_CSV_DAYS } from '../contract/explore.ts';
import { keyOf, PARAMETERS } from '../contract/parameters.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiDb.ts';
import { callApi } from '../database/query.ts';
import { makeSemaphore } from '../database/semaphore.ts';
import { notFound, Problem } from '../http/send.ts';
import type { ChangeName } from './changes.ts';
import { csvKind, renderDocument } from './document.ts';
import type { Documents } from './documents.ts';
import { type Entry, entryOf, type Row, validityOf } from './entry.ts';
import { found, noSuchRegion, noSuchStation, type PathValues } from './paths.ts';
import type { WarningName } from './warnings.ts';

const DAY_MS = 86_400_000;

/**
 * A file takes a second of a large network's database, which others need too; so many wait in turn,
 * and not longer than a proxy would.
 */
const FILES_AT_ONCE = 2;
const FILE_QUEUE = { maxWaiting: 100, acquireTimeoutMs: 30_000 };
const RETRY_FILE_S = 30;

/**
 * How each document is rendered. `wholeNetwork`: for files, which take long enough to keep others
 * waiting.
 */
export function makeExplore({
  db,
  wholeNetwork,
  clock,
  zone = 'UTC',
}: {
  db: ApiDb;
  wholeNetwork: ApiDb;
  clock: Clock;
  /** The network's time zone. */
  zone?: string;
}): Documents<Exclude<ExploreName, ChangeName | WarningName>> {
  const files = makeSemaphore(FILES_AT_ONCE, FILE_QUEUE);

  /** Throws Problem 503 where too many files are asked for. */
  async function inTurn<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    await files.acquire(signal).catch(() => {
      const detail = `Too many files are asked for at the moment. Try again in ${RETRY_FILE_S} seconds.`;
      throw new Problem(503, detail, { 'Retry-After': String(RETRY_FILE_S) });
    });
    try {
      return await read();
    } finally {
      files.release();
    }
  }

  return {
    async stationNow({ locale, id }) {
      const args = { at: clock(), only_station: id };
      const row = await db
        .selectFrom(apiRows('station_now', args).as('now'))
        .innerJoin(apiRows('station_last_hours', args).as('last'), (join) => join.onTrue())
        .selectAll()
        .executeTakeFirst();
      return presentNow(locale, found(row, noSuchStation(id)));
    },

    async regionNow({ locale, slug }) {
      const args = { at: clock(), only_region: slug };
      const row = await db
        .selectFrom(apiRows('region_now', args).as('now'))
        .innerJoin(apiRows('region_particles', args).as('particles'), (join) => join.onTrue())
        .selectAll()
        .executeTakeFirst();
      return presentNow(locale, found(row, noSuchRegion(slug)));
    },

    async stationFlags({ locale, id }) {
      const [row] = await callApi(db, 'station_flags_json', { at: clock(), only_station: id });
      const { flags, pairs, ...rest } = found(row, noSuchStation(id));
      return entryOf(locale, `{"flags":${flags},"pairs":${pairs}}`, rest);
    },

    async stationGaps({ locale, id, year }) {
      const running = yearIn(zone, clock());
      if (year > running)
        throw notFound(
          `The year ${year} has not begun, so nobody knows what will be absent: ask for ${running} or earlier.`,
        );
      const [row] = await callApi(wholeNetwork, 'station_gaps_json', {
        at: clock(),
        only_station: id,
        year,
      });
      const { gaps, ...rest } = found(row, noSuchStation(id));
      return entryOf(locale, `{"year":${year},"gaps":${gaps}}`, rest);
    },

    async stationNeighbours({ locale, id }) {
      const [row] = await callApi(db, 'station_neighbours_json', {
        at: clock(),
        only_station: id,
      });
      const { neighbours, ...rest } = found(row, noSuchStation(id));
      return entryOf(locale, `{"neighbours":${neighbours}}`, rest);
    },

    async stationDays({ locale, id, year }) {
      const [row] = await callApi(db, 'station_days_json', { at: clock(), only_station: id, year });
      return presentDays(locale, year, found(row, noSuchStation(id)));
    },

    async regionDays({ locale, slug, year }) {
      const [row] = await callApi(db, 'region_days_json', { at: clock(), only_region: slug, year });
      return presentDays(locale, year, found(row, noSuchRegion(slug)));
    },

    async stationMonths({ locale, id }) {
      const [row] = await callApi(db, 'station_months_json', { at: clock(), only_station: id });
      return presentMonths(locale, found(row, noSuchStation(id)));
    },

    async regionMonths({ locale, slug }) {
      const [row] = await callApi(db, 'region_months_json', { at: clock(), only_region: slug });
      return presentMonths(locale, found(row, noSuchRegion(slug)));
    },

    async stationCompleteness({ locale, id }) {
      const [row] = await callApi(db, 'station_completeness_json', {
        at: clock(),
        only_station: id,
      });
      return presentCompleteness(locale, found(row, noSuchStation(id)));
    },

    async regionCompleteness({ locale, slug }) {
      const [row] = await callApi(db, 'region_completeness_json', {
        at: clock(),
        only_region: slug,
      });
      return presentCompleteness(locale, found(row, noSuchRegion(slug)));
    },

    async stationLimits({ locale, id }) {
      const [row] = await callApi(db, 'station_limits', { at: clock(), only_station: id });
      return presentLimits(locale, found(row, noSuchStation(id)));
    },

    async regionLimits({ locale, slug }) {
      const [row] = await callApi(db, 'region_limits', { at: clock(), only_region: slug });
      return presentLimits(locale, found(row, noSuchRegion(slug)));
    },

    async stationReadings({ locale, id, hour }) {
      const args = { at: clock(), only_station: id, instant: instantOf(hour) };
      const [row] = await callApi(db, 'station_readings_json', args);
      const { timestamp, sensors, station, is_kept, is_complete, ...rest } = found(
        row,
        noSuchStation(id),
      );
      const json = `{"timestamp":"${timestamp}","hour":${rest.hour},"sensors":${sensors},"station":${station},"kept":${is_kept},"complete":${is_complete}}`;
      return entryOf(locale, json, rest);
    },

    async regionStations({ locale, slug, hour }) {
      const args = { at: clock(), only_region: slug, instant: instantOf(hour) };
      const [row] = await callApi(db, 'region_stations_json', args);
      const { timestamp, stations, region, is_complete, ...rest } = found(row, noSuchRegion(slug));
      const json = `{"timestamp":"${timestamp}","hour":${rest.hour},"stations":${stations},"region":${region},"complete":${is_complete}}`;
      return entryOf(locale, json, rest);
    },

    async parameterMap({ locale, parameter: key }) {
      const [row] = await callApi(wholeNetwork, 'parameter_map_json', {
        at: clock(),
        only_parameter: key,
      });
      if (row === undefined) throw new Error('parameter_map_json returned no row');
      const { hours, stations, regions, ...rest } = row;
      const unit = PARAMETERS.find(({ name }) => keyOf(name) === key)?.unit;
      const json = `{"parameter":"${key}","unit":"${unit}","hours":${hours},"stations":${stations},"regions":${regions}}`;
      return entryOf(locale, json, rest);
    },

    async stationCsv({ locale, id, ...period }, signal) {
      const days = datesOf(period);
      const [row] = await inTurn(signal, () =>
        callApi(wholeNetwork, 'station_hours_csv', { at: clock(), only_station: id, ...days }),
      );
      return presentCsv(
        locale,
        `station-${id}`,
        CSV_HEADERS.station,
        found(row, noSuchStation(id)),
        period,
      );
    },

    async regionCsv({ locale, slug, ...period }, signal) {
      const days = datesOf(period);
      const [row] = await inTurn(signal, () =>
        callApi(wholeNetwork, 'region_hours_csv', { at: clock(), only_region: slug, ...days }),
      );
      return presentCsv(locale, slug, CSV_HEADERS.region, found(row, noSuchRegion(slug)), period);
    },

    async stationCsvMetadata({ locale, id, ...period }) {
      datesOf(period);
      const row = await db
        .selectFrom('api.station')
        .innerJoin('api.installation', (join) => join.onTrue())
        .innerJoin('api.freshness', (join) => join.onTrue())
        .select(['time_zone', 'data_version'])
        .where('id', '=', id)
        .executeTakeFirst();
      return presentCsvMetadata(locale, 'station', found(row, noSuchStation(id)), period);
    },

    async regionCsvMetadata({ locale, slug, ...period }) {
      datesOf(period);
      const row = await db
        .selectFrom('api.region')
        .innerJoin('api.installation', (join) => join.onTrue())
        .innerJoin('api.freshness', (join) => join.onTrue())
        .select(['time_zone', 'data_version'])
        .where('slug', '=', slug)
        .executeTakeFirst();
      return presentCsvMetadata(locale, 'region', found(row, noSuchRegion(slug)), period);
    },
  };
}

const yearIn = (timeZone: string, at: Date): number =>
  Number(new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' }).format(at));

/** The instant of `2026-11-22T09Z` as the database reads it. */
const instantOf = (hour: string) => hour.replace(/T(\d\d)(?=Z|[+-])/, 'T$1:00');

type Now = ApiRow<'region_now'> &
  Partial<ApiRow<'station_last_hours'> & ApiRow<'region_particles'>>;

function presentNow(locale: Locale, row: Now): Entry {
  const { measured_hours, expected_hours, stations, left_out, expected, digest_valid_until } = row;
  const now = {
    trend: row.trend,
    nowcast: {
      'pm2.5': row['nowcast_pm2.5'],
      pm10: row.nowcast_pm10,
      aqi: row.nowcast_aqi,
      hours: row.nowcast_hours,
    },
    european_index: {
      index: row.european_index,
      timestamp: row.european_timestamp,
      pollutants: {
        'pm2.5': row['european_pm2.5'],
        pm10: row.european_pm10,
        o3: row.european_o3,
        no2: row.european_no2,
        so2: row.european_so2,
      },
    },
    ...(expected_hours !== undefined && { completeness: { measured_hours, expected_hours } }),
    ...(stations !== undefined && { particles: { stations, left_out, expected } }),
  };
  const digest = { valid_until: digest_valid_until ?? null, data_version: row.data_version };
  return {
    document: renderDocument(locale, JSON.stringify(now)),
    ...validityOf([row, digest]),
  };
}

const presentDays = (locale: Locale, year: number, row: Row & { days: string }): Entry =>
  entryOf(locale, `{"year":${year},"days":${row.days}}`, row);

const presentMonths = (locale: Locale, row: Row & { months: string }): Entry =>
  entryOf(locale, `{"months":${row.months}}`, row);

const presentCompleteness = (locale: Locale, row: Row & { days: string; months: string }): Entry =>
  entryOf(locale, `{"days":${row.days},"months":${row.months}}`, row);

function presentLimits(
  locale: Locale,
  row: ApiRow<'station_limits'> | ApiRow<'region_limits'>,
): Entry {
  const limits = {
    'pm2.5': {
      mean: row['mean_pm2.5'],
      days: row['pm2.5_days'],
      days_above: row['pm2.5_days_above'],
    },
    pm10: { mean: row.mean_pm10, days: row.pm10_days, days_above: row.pm10_days_above },
    no2: {
      mean: row.mean_no2,
      days: row.no2_days,
      days_above: row.no2_days_above,
      hours: row.no2_hours,
      hours_above: row.no2_hours_above,
    },
    so2: {
      mean: row.mean_so2,
      days: row.so2_days,
      days_above: row.so2_days_above,
      hours: row.so2_hours,
      hours_above: row.so2_hours_above,
    },
    o3: { days: row.o3_days, days_above: row.o3_days_above },
  };
  return entryOf(locale, JSON.stringify(limits), row);
}

type Period = Pick<PathValues, 'from' | 'to'>;

/** Throws Problem 404 where the dates are no period, or one that is too long. */
function datesOf({ from, to }: Period): { first_date: string; last_date: string } {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MAX_CSV_DAYS)
    throw notFound(
      `From ${from} to ${to} is no period of 1 to ${MAX_CSV_DAYS} days: both dates are included, the first one comes first.`,
    );
  return { first_date: from, last_date: to };
}

function presentCsv(
  locale: Locale,
  subject: string,
  header: string,
  row: Row & { lines: string },
  { from, to }: Period,
): Entry {
  const kind = csvKind(`${subject}_hours_${from}_${to}.csv`, csvName(to) + METADATA_SUFFIX);
  return {
    document: renderDocument(locale, `${header}\n${row.lines}`, kind),
    ...validityOf([row]),
  };
}

/** The last segment of the address of a file. */
const csvName = (to: string) => `${to}.csv`;

function presentCsvMetadata(
  locale: Locale,
  subject: keyof typeof CSV_HEADERS,
  { time_zone, ...row }: Row & { time_zone: string },
  { to }: Period,
): Entry {
  return entryOf(locale, JSON.stringify(describeCsv(subject, csvName(to), time_zone)), row);
}
