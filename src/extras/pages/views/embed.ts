/** `/{locale}/embed/station/{id}` and `region/{slug}`: current values for other sites. */
import { embedPage } from '../embed.ts';
import { whySuspect } from '../trust.ts';
import { OF_REGION, OF_STATION, readAll, type View, withVerdict } from './read.ts';

export const stationEmbed: View = async (context, values) => {
  const contents = await readAll(context, values, OF_STATION);
  const suspect = whySuspect(values.locale, contents.trust.flags, context.at);
  const subject = withVerdict(context, { ...contents, suspect });
  return { page: embedPage(context.site, values.locale, `station/${values.id}`, subject) };
};

export const regionEmbed: View = async (context, values) => {
  const names = { ...OF_REGION, history: 'regionHistory' } as const;
  const subject = withVerdict(context, await readAll(context, values, names));
  return { page: embedPage(context.site, values.locale, `region/${values.slug}`, subject) };
};
