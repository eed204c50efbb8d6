/** The units of the published numbers, each with its code in UCUM (the Unified Code for Units of Measure), which programs can convert. */

/** What is counted or indexed has no dimension: its code is `1`, or an annotation in braces, which UCUM reads as 1. */
export const UCUM_CODES = {
  '°C': 'Cel',
  '%': '%',
  Pa: 'Pa',
  'µg/m³': 'ug/m3',
  ppb: '[ppb]',
  'µSv/h': 'uSv/h',
  'm/s': 'm/s',
  mm: 'mm',
  degrees: 'deg',
  days: 'd',
  times: '1',
  stations: '{stations}',
  cigarettes: '{cigarettes}',
  'UV index': '{UV_index}',
  'US EPA AQI': '{AQI}',
} as const;

/** A unit as people read it. */
export type Unit = keyof typeof UCUM_CODES;
