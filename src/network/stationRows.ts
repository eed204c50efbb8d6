/** The stations of a network file and their sensors as rows. */
import { type Context, unknownName } from './context.ts';
import { overlap } from './periods.ts';
import type { Listed } from './read.ts';
import type { Sensor, Station } from './schema.ts';

export function stationRow({ place, item: station }: Listed<Station>, { kinds, providers, note }: Context): object {
  if (!providers.has(station.provider)) note(`${place}.provider`, unknownName('provider', station.provider));
  const slugs = station.regions.map((region) => (typeof region === 'string' ? region : region.slug));
  const first = (kind: string) => slugs.find((slug) => kinds.get(slug) === kind) ?? null;
  return {
    id: station.id,
    provider_id: station.provider,
    title: station.title,
    latitude: station.latitude,
    longitude: station.longitude,
    altitude: station.altitude ?? null,
    city_slug: first('city'),
    district_slug: first('district'),
    screening: station.screening,
  };
}

/** The periods in regions as the file has them; hidden ones are taken out by the database. */
export function memberships({ place, item: station }: Listed<Station>, { regions, reader, note }: Context) {
  const all = station.regions.flatMap((given, index) => {
    const here = `${place}.regions[${index}]`;
    const { slug, ...ends } = typeof given === 'string' ? { slug: given } : given;
    if (!regions.has(slug)) note(here, unknownName('region', slug));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ slug, place: here, ...period }];
  });
  for (const slug of new Set(all.map((membership) => membership.slug))) {
    const both = overlap(all.filter((membership) => membership.slug === slug));
    if (both) note(both[1], `the station is in ${slug} at the same time by ${both[0]}: name it once`);
  }
  return all.map(({ slug, since, until }) => ({ station_id: station.id, region_slug: slug, since, until }));
}

export function sensorPeriods(
  { place, item: sensor, station }: Listed<Sensor> & { station: Station },
  { stations, reader, note }: Context,
) {
  const given = sensor.stations ?? [{ id: station.id }];
  const all = given.flatMap(({ id, ...ends }, index) => {
    const here = sensor.stations === undefined ? place : `${place}.stations[${index}]`;
    if (!stations.has(id)) note(`${here}.id`, unknownName('station', id));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ id, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `the sensor is somewhere at the same time by ${both[0]}: end one before the other begins`);
  return all.map(({ id, since, until }) => ({ sensor_id: sensor.id, station_id: id, since, until }));
}

/** When a formula corrects the sensor (S5): as the sensor says, else as its kind does, else never. At other times none does. */
export function correctionPeriods(
  { place, item: { id, kind, correction } }: Listed<Sensor>,
  { draft, reader, note }: Context,
) {
  const ofKind = kind == null ? undefined : draft.corrections[kind];
  const given = correction ?? ofKind ?? 'none';
  const key = correction === undefined ? `corrections.${kind}` : `${place}.correction`;
  const pieces = typeof given === 'string' ? [{ formula: given }] : given;
  const all = pieces.flatMap(({ formula, ...ends }, index) => {
    const here = `${key}[${index}]`;
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ formula, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `another formula holds at the same time, by ${both[0]}: end one before the other begins`);
  return all.flatMap(({ formula, since, until }) =>
    formula === 'none' ? [] : [{ sensor_id: id, formula, since, until }],
  );
}
