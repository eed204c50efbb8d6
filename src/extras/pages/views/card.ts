/** `/{locale}/card/station/{id}.png` and `region/{slug}.png`: the picture of a shared link. */
import type { Locale } from '../../../contract/endpoints.ts';
import { titleIn } from '../../../contract/words/siteTitle.ts';
import { notFound } from '../../../http/send.ts';
import type { Validity } from '../../../serve/entry.ts';
import type { Site } from '../layout.ts';
import { inWords, type Subject } from '../now.ts';
import { formatTime } from '../numbers.ts';
import { cardPicture } from '../pictures.ts';
import { toPng } from '../png.ts';
import { readRegion, readStation, type View } from './read.ts';

export const stationCard: View = async (context, values) =>
  await pictureOf(context.site, values.locale, await readStation(context, values));

export const regionCard: View = async (context, values) =>
  await pictureOf(context.site, values.locale, await readRegion(context, values));

async function pictureOf(
  site: Site,
  locale: Locale,
  { subject, validity }: { subject: Subject; validity: Validity },
) {
  if (toPng === undefined) throw notFound('');
  const { title, measurement_time: time } = subject.values;
  const { look, box, word, value } = inWords(locale, subject);
  const svg = cardPicture({
    title,
    site: titleIn(site, locale),
    look,
    box,
    word,
    value,
    time: time === null ? '' : formatTime(locale, time),
  });
  return { ...validity, picture: await toPng(svg) };
}
