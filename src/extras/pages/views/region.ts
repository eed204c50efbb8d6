/** `/{locale}/region/{slug}`: a city or a district with its stations. */

import type { Station } from '../../../contract/current.ts';
import { groundOf } from '../layout.ts';
import { hoursPart } from '../mapHours.ts';
import { nearOf } from '../place.ts';
import { regionPage } from '../subject.ts';
import {
  type Context,
  readAll,
  readNetwork,
  readRegion,
  type Values,
  type View,
  withDays,
} from './read.ts';

export const region: View = (context, values) => pageOfRegion(context, values, false);

/** `isAlone`: it is all that the network has, and stands in place of the overview. */
export async function pageOfRegion(context: Context, values: Values, isAlone: boolean) {
  const { locale, slug } = values;
  const { site } = context;
  const [subject, { changes, day }, list] = await Promise.all([
    readRegion(context, values),
    readAll(context, values, { changes: 'regionChanges', day: 'regionLastDay' }),
    readNetwork(context, locale),
  ]);
  const places = withDays(
    day,
    list.judgeRegions(list.regions.filter((one) => 'city_slug' in one && one.city_slug === slug)),
    list.judgeStations(
      list.stations.filter((one) => one.city_slug === slug || one.district_slug === slug),
    ),
  );
  const around = {
    ...places,
    nearest: subject.verdict.isWaiting
      ? list.judgeStations(await nearestTo(context, values, list.stations))
      : [],
    hours: hoursPart(locale, site.index, places.stations, list.stations),
    providers: list.providers,
    map: groundOf(site),
    url: site.url,
    hasWarnings: site.hasFeeds === true,
  };
  return { page: regionPage(locale, { ...subject, changes }, around, isAlone) };
}

async function nearestTo(context: Context, values: Values, stations: readonly Station[]) {
  const { near } = await readAll(context, values, { near: 'regionNeighbours' });
  return nearOf(near.neighbours, stations);
}
