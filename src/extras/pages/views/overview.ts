/** `/{locale}/`: all places, or the page of a network's only city. */
import { onlyCity, overviewPage, shownOf } from '../overview.ts';
import { isLarge } from '../parts.ts';
import { readAll, readNetwork, type View, withDays } from './read.ts';
import { pageOfRegion } from './region.ts';

export const overview: View = async (context, values) => {
  const { locale } = values;
  const network = await readNetwork(context, locale);
  const only = onlyCity(network);
  if (only !== undefined) return await pageOfRegion(context, { ...values, slug: only }, true);
  const list = {
    ...network,
    stations: network.judgeStations(network.stations),
    regions: network.judgeRegions(network.regions),
  };
  // the list of a larger network leaves stations out
  const isShort = !isLarge(list.stations);
  const listed = isShort ? list.stations : [];
  const { day } = await readAll(context, { locale }, { day: 'lastDay' });
  const days = withDays(day, shownOf(list).regions, listed);
  const all = { ...list, ...days, ...(!isShort && { stations: list.stations }) };
  return { page: overviewPage(context.site, locale, all) };
};
