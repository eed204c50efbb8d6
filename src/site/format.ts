/** Values with their units as people read them, and the parameters in the order used everywhere. */
import type { Locale } from '../contract/endpoints.ts';
import { PARAMETERS, type Unit } from '../contract/parameters.ts';
import { formatNumber } from './numbers.ts';

/** A current value's key in the API, its unit and the decimals published. */
export type Quantity = { key: string; unit: Unit; digits: number };

/** As the API names them: its keys have a dot. */
const keyOf = (name: string) => name.replace('pm25', 'pm2.5');

export const QUANTITIES: readonly Quantity[] = PARAMETERS.map(({ name, unit, digits }) => ({
  key: keyOf(name),
  unit,
  digits,
}));

/** Units that are written otherwise than in the API, or not at all where the name says it. */
const LOCAL_UNITS: Partial<Record<Unit, Record<Locale, string>>> = {
  'µg/m³': { en: 'µg/m³', ru: 'мкг/м³', hy: 'մկգ/մ³' },
  'µSv/h': { en: 'µSv/h', ru: 'мкЗв/ч', hy: 'մկԶվ/ժ' },
  ppb: { en: 'ppb', ru: 'млрд⁻¹', hy: 'ppb' },
  'm/s': { en: 'm/s', ru: 'м/с', hy: 'մ/վ' },
  mm: { en: 'mm', ru: 'мм', hy: 'մմ' },
  Pa: { en: 'hPa', ru: 'гПа', hy: 'հՊա' },
  'UV index': { en: '', ru: '', hy: '' },
};

export const unitIn = (locale: Locale, unit: Unit): string => LOCAL_UNITS[unit]?.[locale] ?? unit;

/** With as many decimals as are published. Pressure is shown in hPa, as weather reports have it. */
export function formatValue(
  locale: Locale,
  value: number,
  { unit, digits }: Pick<Quantity, 'unit' | 'digits'>,
): string {
  const shown = unit === 'Pa' ? value / 100 : value;
  const decimals = unit === 'Pa' ? 1 : digits;
  const text = formatNumber(locale, shown, decimals);
  const name = unitIn(locale, unit);
  return name === '' ? text : `${text} ${name}`;
}
