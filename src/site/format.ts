/** Values with their units as people read them. Shared with the browser, as what it imports is. */
import { formatNumber } from './numbers.ts';

/** A value's key in the API, its unit and the decimals published. `isFloored`: below 0 is published as 0. */
export type Quantity = { key: string; unit: string; digits: number; isFloored?: boolean };

/** Units that are written otherwise than in the API, or not at all where the name says it. */
const LOCAL_UNITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'µg/m³': { ru: 'мкг/м³', hy: 'մկգ/մ³' },
  'µSv/h': { ru: 'мкЗв/ч', hy: 'մկԶվ/ժ' },
  ppb: { ru: 'млрд⁻¹' },
  'm/s': { ru: 'м/с', hy: 'մ/վ' },
  mm: { ru: 'мм', hy: 'մմ' },
  Pa: { en: 'hPa', ru: 'гПа', hy: 'հՊա' },
  degrees: { en: '°', ru: '°', hy: '°' },
  'UV index': { en: '', ru: '', hy: '' },
};

export const unitIn = (locale: string, unit: string): string => LOCAL_UNITS[unit]?.[locale] ?? unit;

/** Pressure is shown in hPa, as weather reports have it. */
export const shownAs = (unit: string, value: number): number => (unit === 'Pa' ? value / 100 : value);

type Precision = Pick<Quantity, 'unit' | 'digits'>;

/** With as many decimals as are published. */
export function formatValue(locale: string, value: number, { unit, digits }: Precision): string {
  const text = formatBare(locale, value, { unit, digits });
  const name = unitIn(locale, unit);
  if (name === '°') return `${text}°`;
  return name === '' ? text : `${text} ${name}`;
}

/** The same without its unit. */
export const formatBare = (locale: string, value: number, { unit, digits }: Precision): string =>
  formatNumber(locale, shownAs(unit, value), unit === 'Pa' ? 1 : digits);

/** A text with its `{name}`s filled in. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
