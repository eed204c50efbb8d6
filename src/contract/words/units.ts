/** Units in the letters of a language. Shared with the browser, so it imports nothing. */

/**
 * Units that people read otherwise than the API writes them, in one language or in `all`; none where
 * the name of the parameter says it.
 */
const UNITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'µg/m³': { ru: 'мкг/м³', hy: 'մկգ/մ³' },
  'µSv/h': { ru: 'мкЗв/ч', hy: 'մկԶվ/ժ' },
  m: { ru: 'м', hy: 'մ' },
  km: { ru: 'км', hy: 'կմ' },
  'm/s': { ru: 'м/с', hy: 'մ/վ' },
  mm: { ru: 'мм', hy: 'մմ' },
  Pa: { all: 'hPa', ru: 'гПа', hy: 'հՊա' },
  degrees: { all: '°' },
  'UV index': { all: '' },
  AQI: { all: '' },
  'US EPA AQI': { all: '' },
  stations: { all: '' },
};

export const unitIn = (locale: string, unit: string): string =>
  UNITS[unit]?.[locale] ?? UNITS[unit]?.all ?? unit;

/** Pressure is shown in hPa, as weather reports have it. */
export const shownAs = (unit: string, value: number): number =>
  unit === 'Pa' ? value / 100 : value;

/**
 * hPa with one decimal, rounded half up from the published Pa: 1005.15 as a float is a little less,
 * and toFixed would round it down.
 */
export const roundedHpa = (pascals: number): number => Math.round(pascals / 10) / 10;
