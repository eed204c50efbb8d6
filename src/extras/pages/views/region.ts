/** `/{locale}/region/{slug}`: a city or a district with its stations. */
import type { Region } from '../../../contract/current.ts';
import type { ExploreAnswer } from '../../../contract/explore.ts';
import { earlier, validityOf } from '../../../serve/entry.ts';
import { groundOf } from '../layout.ts';
import { hoursPart } from '../mapHours.ts';
import { queryNear } from '../nearStations.ts';
import type { ListedStation } from '../parts.ts';
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
  type More = { changes: ExploreAnswer<'regionChanges'> };
  const [{ subject, validity }, { contents, ...ofMore }] = await Promise.all([
    readRegion(context, values),
    readAll<More>(context, values, { changes: 'regionChanges' }),
  ]);
  const { list, validity: ofNetwork } = await readNetwork(context, locale);
  const own = list.stations.filter((one) => one.city_slug === slug || one.district_slug === slug);
  const { validity: ofDays, ...places } = await withDays(
    context,
    list.regions.filter((one) => 'city_slug' in one && one.city_slug === slug),
    own,
  );
  const { nearest, validity: ofNear } = subject.verdict.isWaiting
    ? await nearestTo(context, subject.values, list.stations, own)
    : { nearest: [], validity: ofDays };
  const around = {
    ...places,
    nearest,
    hours: hoursPart(locale, context.site.index, places.stations, list.stations),
    providers: list.providers,
    map: groundOf(context.site),
    url: context.site.url,
    hasWarnings: context.site.hasFeeds === true,
  };
  return {
    ...earlier(earlier(earlier(validity, ofMore), earlier(ofNetwork, ofNear)), ofDays),
    page: regionPage(locale, { ...subject, ...contents }, around, isAlone),
  };
}

const MOST_NEAREST = 5;

/** The nearest stations to a region, without its own, and how long they are valid. */
async function nearestTo(
  context: Context,
  region: Region,
  stations: readonly ListedStation[],
  own: readonly ListedStation[],
) {
  const { wholeNetwork, clock } = context;
  const most = MOST_NEAREST + own.length;
  const { rows, neighbours } = await queryNear(wholeNetwork, clock(), region, most);
  const others = stations.filter((one) => !own.includes(one));
  const near = neighbours.flatMap(({ id, distance_km }) => {
    const found = others.find((one) => one.id === id);
    return found === undefined ? [] : [{ ...found, distance_km }];
  });
  return { nearest: near.slice(0, MOST_NEAREST), validity: validityOf(rows) };
}
