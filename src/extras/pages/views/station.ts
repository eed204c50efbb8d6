/** `/{locale}/station/{id}`: a station with its neighbours and what changed. */
import { groundOf } from '../layout.ts';
import { nearOf } from '../place.ts';
import { stationPage } from '../subject.ts';
import { readAll, readNetwork, readStation, type View } from './read.ts';

export const station: View = async (context, values) => {
  const { locale } = values;
  const [subject, { near, changes }, list] = await Promise.all([
    readStation(context, values),
    readAll(context, values, { near: 'stationNeighbours', changes: 'stationChanges' }),
    readNetwork(context, locale),
  ]);
  const around = {
    neighbours: list.judgeStations(
      nearOf(near.neighbours, list.stations).filter(({ status }) => status === 'online'),
    ),
    map: groundOf(context.site),
    url: context.site.url,
    providers: list.providers,
    hasWarnings:
      context.site.hasFeeds === true && list.stations.some((one) => one.id === values.id),
  };
  return { page: stationPage(locale, { ...subject, changes }, around) };
};
