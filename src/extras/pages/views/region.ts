/** `/{locale}/region/{slug}`: a city or a district with its stations. */
import type { ExploreAnswer } from '../../../contract/explore.ts';
import { earlier } from '../../../serve/entry.ts';
import { groundOf } from '../layout.ts';
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
  const { validity: ofDays, ...places } = await withDays(
    context,
    list.regions.filter((one) => 'city_slug' in one && one.city_slug === slug),
    list.stations.filter((one) => one.city_slug === slug || one.district_slug === slug),
  );
  const around = {
    ...places,
    providers: list.providers,
    map: groundOf(context.site),
    url: context.site.url,
  };
  return {
    ...earlier(earlier(earlier(validity, ofMore), ofNetwork), ofDays),
    page: regionPage(locale, { ...subject, ...contents }, around, isAlone),
  };
}
