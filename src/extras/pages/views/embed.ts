/** `/{locale}/embed/station/{id}` and `region/{slug}`: current values for other sites. */
import { earlier } from '../../../serve/entry.ts';
import { embedPage } from '../embed.ts';
import type { Current } from '../now.ts';
import { leftOut, type Trust } from '../trust.ts';
import { OF_REGION, OF_STATION, readAll, type View } from './read.ts';

export const stationEmbed: View = async (context, values) => {
  type Contents = Current & { trust: Trust };
  const { contents, ...validity } = await readAll<Contents>(context, values, OF_STATION);
  const suspect = leftOut(values.locale, contents.trust.flags, context.clock());
  const current = { ...contents, suspect };
  return {
    ...validity,
    page: embedPage(context.site, values.locale, `station/${values.id}`, current),
  };
};

export const regionEmbed: View = async (context, values) => {
  const { locale, slug } = values;
  const { contents, ...validity } = await readAll<Current>(context, values, OF_REGION);
  const network = await context.reader.network();
  const found = network.regions.find((one) => one.slug === slug);
  const current = { ...contents, hasMeasured: found?.has_measured ?? undefined };
  return {
    ...earlier(validity, network),
    page: embedPage(context.site, locale, `region/${slug}`, current),
  };
};
