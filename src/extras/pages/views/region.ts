/** `/{locale}/region/{slug}`: a city or a district with its stations. */
import { earlier } from '../../../serve/entry.ts';
import { groundOf } from '../layout.ts';
import { regionPage } from '../subject.ts';
import { type Context, readNetwork, readRegion, type Values, type View, withDays } from './read.ts';

export const region: View = (context, values) => pageOfRegion(context, values, false);

/** `isAlone`: it is all that the network has, and stands in place of the overview. */
export async function pageOfRegion(context: Context, values: Values, isAlone: boolean) {
  const { locale, slug } = values;
  const { subject, validity } = await readRegion(context, values);
  const { list, validity: ofNetwork } = await readNetwork(context, locale);
  const { validity: ofDays, ...places } = await withDays(
    context,
    list.regions.filter((one) => 'city_slug' in one && one.city_slug === slug),
    list.stations.filter((one) => one.city_slug === slug || one.district_slug === slug),
  );
  const around = { ...places, providers: list.providers, map: groundOf(context.site) };
  return {
    ...earlier(earlier(validity, ofNetwork), ofDays),
    page: regionPage(locale, subject, around, isAlone),
  };
}
