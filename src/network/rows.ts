/** A network file that was read becomes rows for the tables of schema raw; what its places say about each other is checked on the way. */
import { makeContext, noteTwice, sensorsOf } from './context.ts';
import type { Known } from './existing.ts';
import type { Draft, Problem } from './read.ts';
import { regionRow } from './regionRows.ts';
import { correctionPeriods, sensorPeriods } from './sensorRows.ts';
import { memberships, stationRow } from './stationRows.ts';

/** The argument of logic.replace_network: rows by table. */
export type NetworkRows = {
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

/** The rows are of use only if no problem was found, in reading or here. */
export function makeRows(draft: Draft, known: Known): { rows: NetworkRows; problems: Problem[] } {
  const problems: Problem[] = [...draft.problems];
  const context = makeContext(draft, known, problems);
  const { reader, note } = context;
  const { providers, regions, stations, timeZone } = draft;
  const sensors = sensorsOf(draft);

  if (timeZone !== undefined && timeZone !== known.timeZone) {
    note(
      'time_zone',
      `this network is of ${timeZone}, but the database was made for ${known.timeZone}, and its days and months are of that zone: ` +
        `correct the file, or make a new database with TIME_ZONE=${timeZone}`,
    );
  }
  noteTwice(providers, ({ id }) => id, 'id', context);
  noteTwice(regions, ({ slug }) => slug, 'slug', context);
  noteTwice(stations, ({ id }) => id, 'id', context);
  noteTwice(sensors, ({ id }) => id, 'id', context);

  const rows = {
    providers: providers.map(({ item }) => item),
    regions: regions.map((region) => regionRow(region, context)),
    stations: stations.map((station) => stationRow(station, context)),
    sensors: sensors.map(({ item: { id, kind = null, device = null } }) => ({ id, kind, device })),
    station_region: stations.flatMap((station) => memberships(station, context)),
    hidden_period: stations.flatMap(({ place, item }) =>
      reader.flag(`${place}.hidden`, item.hidden).map((period) => ({ station_id: item.id, ...period })),
    ),
    flag_period: stations.flatMap(({ place, item }) =>
      reader.flag(`${place}.is_bad_thp`, item.is_bad_thp).map((period) => ({ station_id: item.id, ...period })),
    ),
    sensor_station: sensors.flatMap((sensor) => sensorPeriods(sensor, context)),
    suspicious_period: sensors.flatMap(({ place, item }) =>
      reader.flag(`${place}.suspicious`, item.suspicious).map((period) => ({ sensor_id: item.id, ...period })),
    ),
    correction: sensors.flatMap((sensor) => correctionPeriods(sensor, context)),
  };
  return { rows, problems };
}
