/**
 * Turns a parsed network file into rows of the database's tables, and checks what its elements say
 * about each other.
 */
import { isAbbreviation } from '../base/timeZone.ts';
import { addDuplicates, type CheckContext, makeContext } from './context.ts';
import type { ExistingNetwork } from './existing.ts';
import { addOverlaps } from './periods.ts';
import type { Issue, ParsedNetwork, ParsedStation } from './read.ts';
import {
  checkMovedRegions,
  type FarStation,
  farStations,
  type InCities,
  memberships,
  placesByRegion,
  regionRow,
  stationsInCities,
} from './regions.ts';
import { checkDevices, corrections, placements } from './sensors.ts';

/**
 * `rows`: the argument of logic.replace_network, rows by table. They can be used only if there are
 * no issues, of parsing or checking.
 */
export function makeRows(
  parsed: ParsedNetwork,
  existing: ExistingNetwork,
): { rows: object; issues: Issue[]; far: FarStation[]; inCities: InCities[] } {
  const issues: Issue[] = [...parsed.issues];
  const context = makeContext(parsed, existing, issues);
  const { periods, addIssue, checkName } = context;
  const { providers, regions, stations, sensors, timeZone } = parsed;

  if (timeZone !== undefined && timeZone !== existing.timeZone) {
    addIssue(
      'time_zone',
      `this network is in ${timeZone}, but the database was made for ${existing.timeZone}, whose days and months it has: ` +
        `correct the file, or make a new database with TIME_ZONE=${isAbbreviation(timeZone) ? `the IANA name of its zone, such as Europe/Berlin (${timeZone} does not say whose clocks it means)` : timeZone}`,
    );
  }
  addDuplicates(providers, 'id', context);
  addDuplicates(regions, 'slug', context);
  addDuplicates(stations, 'id', context);
  addDuplicates(sensors, 'id', context);
  for (const { position, provider } of stations)
    checkName(`${position}.provider`, 'provider', provider);
  checkNamedSources(context);
  const station_region = stations.flatMap((station) => memberships(station, context));
  const placed = new Map(sensors.map((sensor) => [sensor, placements(sensor, context)]));
  checkDevices(placed, context);
  const ofKinds = new Map(
    Object.entries(parsed.corrections).map(([kind, given]) => [
      kind,
      corrections(`corrections.${kind}`, given, context),
    ]),
  );

  checkMovedRegions(context);
  const places = placesByRegion(context);
  const rows = {
    providers: providers.map(({ title, ...provider }) => ({ ...provider, ...titlesOf(title) })),
    regions: regions.map((region) => regionRow(region, context, places.get(region.slug) ?? [])),
    stations: stations.map(
      ({ id, provider: provider_id, title, latitude, longitude, altitude, screening, trusted }) => {
        return { id, provider_id, title, latitude, longitude, altitude, screening, trusted };
      },
    ),
    sensors: sensors.map(({ id, kind, device, rain }) => ({ id, kind, device, rain })),
    sources: parsed.sources,
    station_region,
    hidden_period: stations.flatMap(({ id, position, hidden }) =>
      periods.flag(`${position}.hidden`, hidden).map((period) => ({ ...period, station_id: id })),
    ),
    flag_period: stations.flatMap((station) =>
      (['thp', 'pm'] as const).flatMap((kind) =>
        periods
          .flag(`${station.position}.is_bad_${kind}`, station[`is_bad_${kind}`])
          .map((period) => ({ ...period, station_id: station.id, kind })),
      ),
    ),
    screened_period: stations.flatMap((station) => screenedPeriods(station, context)),
    sensor_station: [...placed.values()].flat(),
    suspicious_period: sensors.flatMap(({ id, position, suspicious }) =>
      periods
        .flag(`${position}.suspicious`, suspicious)
        .map((period) => ({ ...period, sensor_id: id })),
    ),
    // a sensor's own formulas count instead of the formulas of its kind (S5)
    correction: sensors.flatMap(({ id, position, kind, correction }) =>
      (correction === undefined
        ? (ofKinds.get(kind ?? '') ?? [])
        : corrections(`${position}.correction`, correction, context)
      ).map((period) => ({ ...period, sensor_id: id })),
    ),
  };
  const inCities = stationsInCities(station_region, context);
  return { rows, issues, far: farStations(context, places), inCities };
}

/** A feed may name its source. The core knows no more of feeds than this one name. */
function checkNamedSources({ parsed, existing, addIssue }: CheckContext): void {
  const known = parsed.sources === undefined ? existing.sources : Object.keys(parsed.sources);
  for (const { position, pull } of parsed.providers) {
    const { source } = Object(pull) as { source?: unknown };
    if (typeof source !== 'string' || [...known].includes(source)) continue;
    const all = [...known].join(', ');
    addIssue(
      `${position}.pull.source`,
      `there is no source ${source}: ${all === '' ? 'add it to "sources"' : `there are ${all}`}`,
    );
  }
}

/**
 * The columns of raw.provider: a text, for clients without a locale, and the titles by locale if
 * there are any.
 */
function titlesOf(title: string | Record<string, string> | undefined) {
  if (typeof title !== 'object') return { title, titles: null };
  return { title: title.en ?? Object.values(title)[0], titles: title };
}

/** Rows of raw.screened_period. */
function screenedPeriods(
  { id, position, screened }: ParsedStation,
  { periods, addIssue, checkName }: CheckContext,
): object[] {
  const key = `${position}.screened`;
  for (const [index, period] of screened.entries())
    checkName(`${key}[${index}].sensor`, 'sensor', period?.sensor);
  const all = periods.list(key, screened);
  addOverlaps(
    all,
    ({ test, sensor }) => `${test} ${sensor}`,
    ({ test }, earlier) => `${test} is there for the same time by ${earlier.position}: keep one`,
    addIssue,
  );
  return all.map(({ test, sensor, since, until, evidence, hours }) => ({
    station_id: id,
    sensor_id: sensor ?? null,
    kind: sensor === undefined ? 'pm' : 'thp',
    reason: test,
    since,
    until,
    evidence: evidence ?? null,
    hours: hours ?? null,
  }));
}
