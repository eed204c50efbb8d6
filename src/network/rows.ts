/** Turns a parsed network file into rows of the database's tables, and checks what its elements say about each other. */
import {
  addDuplicates,
  type CheckContext,
  type ExistingNetwork,
  makeContext,
  sensorsOf,
  unknownName,
} from './context.ts';
import { checkDevices, correctionPeriods, sensorPeriods } from './placements.ts';
import type { Issue, Listed, ParsedNetwork } from './read.ts';
import { memberships, regionRow } from './regions.ts';
import type { Station } from './schema.ts';
import { PLACEHOLDER_NAME } from './usableParts.ts';

/** The argument of logic.replace_network: rows by table. */
type NetworkRows = {
  providers: object[];
  regions: object[];
  stations: object[];
  sensors: object[];
  station_region: object[];
  hidden_period: object[];
  flag_period: object[];
  sensor_station: object[];
  suspicious_period: object[];
  correction: object[];
};

/** `issues` are those of parsing and of checking; the rows can be used only if there are none. */
export function makeRows(parsed: ParsedNetwork, existing: ExistingNetwork): { rows: NetworkRows; issues: Issue[] } {
  const issues: Issue[] = [...parsed.issues];
  const context = makeContext(parsed, existing, issues);
  const { reader, addIssue } = context;
  const { providers, regions, stations, timeZone } = parsed;
  const sensors = sensorsOf(parsed);

  if (timeZone !== undefined && timeZone !== existing.timeZone) {
    addIssue(
      'time_zone',
      `this network is of ${timeZone}, but the database was made for ${existing.timeZone}, and its days and months are of that zone: ` +
        `correct the file, or make a new database with TIME_ZONE=${timeZone}`,
    );
  }
  addDuplicates(providers, ({ id }) => id, 'id', context);
  addDuplicates(regions, ({ slug }) => slug, 'slug', context);
  addDuplicates(stations, ({ id }) => id, 'id', context);
  addDuplicates(sensors, ({ id }) => id, 'id', context);
  checkDevices(context);

  const rows = {
    providers: providers.map(({ item }) => item),
    regions: regions.map((region) => regionRow(region, context)),
    stations: stations.map((station) => stationRow(station, context)),
    sensors: sensors.map(({ item: { id, kind = null, device = null } }) => ({ id, kind, device })),
    station_region: stations.flatMap((station) => memberships(station, context)),
    hidden_period: stations.flatMap(({ position, item }) =>
      reader.flag(`${position}.hidden`, item.hidden).map((period) => ({ station_id: item.id, ...period })),
    ),
    flag_period: stations.flatMap(({ position, item }) =>
      reader.flag(`${position}.is_bad_thp`, item.is_bad_thp).map((period) => ({ station_id: item.id, ...period })),
    ),
    sensor_station: sensors.flatMap((sensor) => sensorPeriods(sensor, context)),
    suspicious_period: sensors.flatMap(({ position, item }) =>
      reader.flag(`${position}.suspicious`, item.suspicious).map((period) => ({ sensor_id: item.id, ...period })),
    ),
    correction: sensors.flatMap((sensor) => correctionPeriods(sensor, context)),
  };
  return { rows, issues };
}

function stationRow({ position, item: station }: Listed<Station>, context: CheckContext): object {
  const { providers, addIssue } = context;
  if (station.provider !== PLACEHOLDER_NAME && !providers.has(station.provider))
    addIssue(`${position}.provider`, unknownName('provider', station.provider, providers));
  return {
    id: station.id,
    provider_id: station.provider,
    title: station.title,
    latitude: station.latitude,
    longitude: station.longitude,
    altitude: station.altitude ?? null,
    screening: station.screening,
  };
}
