/**
 * Values with their units and dates as people read them. Shared with the browser, so it imports
 * nothing else.
 */
import { roundedHpa, unitIn } from '../../contract/words/units.ts';
import { formatNumber, SHORT_MONTHS } from './numbers.ts';
import { LAST_AQI } from './scale.ts';

export { fill } from '../../contract/words/fill.ts';
export { shownAs, unitIn } from '../../contract/words/units.ts';

/** A value's key in the API, its unit and the decimals published. */
export type Quantity = {
  key: string;
  unit: string;
  digits: number;
  /** µg/m³ in 1 ppb, of a gas that is published in ppb. */
  mass?: number;
};

/** An AQI above the end of the US EPA's scale. */
const OVER: Readonly<Record<string, string>> = {
  en: `over ${LAST_AQI}`,
  ru: `выше ${LAST_AQI}`,
  hy: `${LAST_AQI}-ից բարձր`,
};

/** The parameters that people ask for first. */
export const PM25: Quantity = { key: 'pm2.5', unit: 'µg/m³', digits: 1 };

type Precision = Pick<Quantity, 'unit' | 'digits'>;

/** With as many decimals as are published; a dash where there is no value. */
export function formatValue(
  locale: string,
  value: number | null,
  { unit, digits }: Precision,
): string {
  if (value === null) return '–';
  const text = formatBare(locale, value, { unit, digits });
  const name = unitIn(locale, unit);
  if (name === '°') return `${text}°`;
  return name === '' ? text : `${text} ${name}`;
}

/** The same without its unit. */
export function formatBare(locale: string, value: number, { unit, digits }: Precision): string {
  if (unit === 'AQI' && value > LAST_AQI) return OVER[locale] ?? '';
  return unit === 'Pa'
    ? formatNumber(locale, roundedHpa(value), 1)
    : formatNumber(locale, value, digits);
}

/** `21.5 ppb (41 µg/m³)`: the unit of limits and indices stands beside ppb. */
export function formatBoth(locale: string, value: number, quantity: Quantity): string {
  const text = formatValue(locale, value, quantity);
  return quantity.mass === undefined ? text : `${text} (${formatMass(locale, value, quantity)})`;
}

/** `41 µg/m³`, of a value in ppb; empty for all others. */
export const formatMass = (locale: string, value: number, { mass }: Quantity): string =>
  mass === undefined ? '' : formatValue(locale, value * mass, { unit: 'µg/m³', digits: 0 });

/** `1 ppb = 1.91 µg/m³`, beside a chart; empty for what is not in ppb. */
export const massText = (locale: string, { unit, mass }: Quantity): string =>
  mass === undefined
    ? ''
    : `1 ${unit} = ${formatValue(locale, mass, { unit: 'µg/m³', digits: 2 })}`;

/**
 * A direction such as `WSW` in the letters of a language, whose letters for N, E, S and W come in
 * this order.
 */
export function formatWind(letters: string, name: string): string {
  const all = letters.split(' ');
  return name.replace(/[NESW]/g, (letter) => all['NESW'.indexOf(letter)] ?? letter);
}

const DATE_FORMS = {
  day: { day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  'name of month': { month: 'short' },
  'name of weekday': { weekday: 'short' },
  'day of week': { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
} as const;

/** The local date of a time, or a date, in the words of a language. */
export function formatDate(
  locale: string,
  timestamp: string,
  form: keyof typeof DATE_FORMS,
): string {
  const wall = new Date(`${timestamp.slice(0, 10)}T00:00:00Z`);
  if (locale === 'hy') return armenianDate(wall, form); // which Chromium's Intl does not know
  return wall.toLocaleDateString(locale === 'en' ? 'en-GB' : locale, {
    ...DATE_FORMS[form],
    timeZone: 'UTC',
  });
}

const WEEKDAYS = 'կիր երկ երք չրք հնգ ուր շբթ';

function armenianDate(wall: Date, form: keyof typeof DATE_FORMS): string {
  const year = wall.getUTCFullYear();
  const day = wall.getUTCDate();
  const short = SHORT_MONTHS.hy?.split(' ')[wall.getUTCMonth()];
  const weekday = WEEKDAYS.split(' ')[wall.getUTCDay()] ?? '';
  const texts = {
    day: `${day} ${short}`,
    date: `${day} ${short}, ${year} թ.`,
    month: `${year} թ. ${short}`,
    'name of month': `${short}`,
    'name of weekday': weekday,
    'day of week': `${weekday}, ${day} ${short}, ${year} թ.`,
  };
  return texts[form];
}

/** As a sentence or line begins. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The form of a text that goes with a number: forms stand beside each other, as in `{n} day|{n}
 * days`, for Russian as one|few|many.
 */
export function plural(locale: string, forms: string, n: number): string {
  const all = forms.split('|');
  const order = all.length === 3 ? ['one', 'few', 'many'] : ['one', 'other'];
  const at = order.indexOf(new Intl.PluralRules(locale).select(n));
  // a fraction goes with the second: 1,5 раза
  return all.length === 1 ? forms : (all[at] ?? all[1] ?? forms);
}
