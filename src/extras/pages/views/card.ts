/** `/{locale}/card/station/{id}.png` and `region/{slug}.png`: the picture of a shared link. */
import type { Locale } from '../../../contract/endpoints.ts';
import { titleIn } from '../../../contract/words/siteTitle.ts';
import type { Site } from '../layout.ts';
import { inWords, type Subject } from '../now.ts';
import { formatTime } from '../numbers.ts';
import { cardPicture } from '../pictures.ts';
import type { toPng } from '../png.ts';
import { readRegion, readStation, type View } from './read.ts';

type Draw = NonNullable<typeof toPng>;

export const stationCard =
  (draw: Draw): View =>
  async (context, values) => ({
    picture: await draw(cardOf(context.site, values.locale, await readStation(context, values))),
  });

export const regionCard =
  (draw: Draw): View =>
  async (context, values) => ({
    picture: await draw(cardOf(context.site, values.locale, await readRegion(context, values))),
  });

function cardOf(site: Site, locale: Locale, subject: Subject): string {
  const { title } = subject.values;
  const { look, box, word, value, time } = inWords(locale, subject);
  return cardPicture({
    title,
    site: titleIn(site, locale),
    look,
    box,
    word,
    value,
    time: time === null ? '' : formatTime(locale, time),
  });
}
