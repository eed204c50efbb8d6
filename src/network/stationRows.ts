/** Stations of a network file as rows of raw.station, and the regions they are in. */
import { type Context, unknownName } from './context.ts';
import { overlap } from './periods.ts';
import type { Listed } from './read.ts';
import type { Station } from './schema.ts';

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
