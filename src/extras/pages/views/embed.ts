/** `/{locale}/embed/station/{id}` and `region/{slug}`: current values for other sites. */
import { earlier } from '../../../serve/entry.ts';
import { embedPage } from '../embed.ts';
import type { Unjudged } from '../now.ts';
import { type Trust, whySuspect } from '../trust.ts';
import { OF_REGION, OF_STATION, readAll, type View, withVerdict } from './read.ts';

export const stationEmbed: View = async (context, values) => {
  type Contents = Unjudged & { trust: Trust };
  const { contents, ...ofContents } = await readAll<Contents>(context, values, OF_STATION);
  const suspect = whySuspect(values.locale, contents.trust.flags, context.clock());
  const read = { subject: { ...contents, suspect }, validity: ofContents };
  const { subject, validity } = await withVerdict(
    context,
    read,
    ({ stations }) => stations[values.id],
  );
  return {
    ...validity,
    page: embedPage(context.site, values.locale, `station/${values.id}`, subject),
  };
};

export const regionEmbed: View = async (context, values) => {
  const { locale, slug } = values;
  const { contents, ...ofContents } = await readAll<Unjudged>(context, values, OF_REGION);
  const network = await context.reader.network();
  const found = network.regions.find((one) => one.slug === slug);
  const read = {
    subject: { ...contents, hasMeasured: found?.has_measured ?? undefined },
    validity: earlier(ofContents, network),
  };
  const { subject, validity } = await withVerdict(context, read, ({ regions }) => regions[slug]);
  return { ...validity, page: embedPage(context.site, locale, `region/${slug}`, subject) };
};
