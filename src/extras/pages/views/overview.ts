/** `/{locale}/`: all places, or the page of a network's only city. */
import { earlier } from '../../../serve/entry.ts';
import { onlyCity, overviewPage, shownOf } from '../overview.ts';
import { isLarge } from '../parts.ts';
import { readNetwork, type View, withDays } from './read.ts';
import { pageOfRegion } from './region.ts';

export const overview: View = async (context, values) => {
  const { list, validity } = await readNetwork(context, values.locale);
  const only = onlyCity(list);
  if (only !== undefined) return await pageOfRegion(context, { ...values, slug: only }, true);
  // the list of a larger network leaves stations out
  const isShort = !isLarge(list.stations);
  const listed = isShort ? list.stations : [];
  const { validity: ofDays, ...days } = await withDays(context, shownOf(list).regions, listed);
  return {
    ...earlier(validity, ofDays),
    page: overviewPage(context.site, values.locale, {
      ...list,
      ...days,
      ...(!isShort && { stations: list.stations }),
    }),
  };
};
