/** `/{locale}/station/{id}`: a station with its neighbours and what changed. */
import type { ExploreAnswer } from '../../../contract/explore.ts';
import { earlier } from '../../../serve/entry.ts';
import { groundOf } from '../layout.ts';
import { stationPage } from '../subject.ts';
import { readAll, readNetwork, readStation, type View } from './read.ts';

type More = {
  near: ExploreAnswer<'stationNeighbours'>;
  changes: ExploreAnswer<'stationChanges'>;
};

/** A station farther away says nothing about the air here, and neither does one without values. */
const NEAR_KM = 25;

export const station: View = async (context, values) => {
  const { locale } = values;
  const [{ subject, validity }, { contents, ...ofMore }, { list, validity: ofNetwork }] =
    await Promise.all([
      readStation(context, values),
      readAll<More>(context, values, { near: 'stationNeighbours', changes: 'stationChanges' }),
      readNetwork(context, locale),
    ]);
  const neighbours = contents.near.neighbours.flatMap(({ id, distance_km }) => {
    const found = list.stations.find((one) => one.id === id);
    const isShown = found?.status === 'online' && distance_km <= NEAR_KM;
    return isShown ? [{ ...found, distance_km }] : [];
  });
  const around = {
    neighbours,
    map: groundOf(context.site),
    url: context.site.url,
    providers: list.providers,
    hasWarnings:
      context.site.hasFeeds === true && list.stations.some((one) => one.id === values.id),
  };
  return {
    ...earlier(earlier(validity, ofMore), ofNetwork),
    page: stationPage(locale, { ...subject, changes: contents.changes }, around),
  };
};
