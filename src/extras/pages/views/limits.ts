/** `/{locale}/region/{slug}/limits` and its like: a year against the limits of the EU, on a sheet. */
import { yearIn } from '../../../base/clock.ts';
import { limitsSheet } from '../limitsSheet.ts';
import { type Context, readAll, type Values, type View } from './read.ts';

const OF = {
  station: { place: 'station', year: 'stationLimitsOfYear' },
  region: { place: 'region', year: 'regionLimitsOfYear' },
} as const;

export const stationLimits: View = (context, values) => sheetOf(context, values, 'station');
export const regionLimits: View = (context, values) => sheetOf(context, values, 'region');

async function sheetOf(context: Context, values: Values, kind: keyof typeof OF) {
  const running = yearIn(context.site.zone, context.at);
  const { locale, year = running } = values;
  const names = OF[kind];
  const [shown, { before }] = await Promise.all([
    readAll(context, { ...values, year }, names),
    readAll(context, { ...values, year: year - 1 }, { before: names.year }),
  ]);
  const path = `${kind}/${kind === 'station' ? values.id : values.slug}`;
  const { title } = shown.place;
  const sheet = { path, title, year: shown.year, before, later: year < running };
  return { page: limitsSheet(locale, sheet) };
}
