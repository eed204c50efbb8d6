/**
 * datapackage.json: the files and the meaning of their columns for programs (Frictionless Data Package 1.0, https://specs.frictionlessdata.io).
 * It says nothing about when it was made, so it changes only when a file does.
 */
import { UCUM_CODES } from '../contract/parameters.ts';
import type { PublishedData } from './contents.ts';
import type { Field } from './layouts.ts';

/** The times of all files: local, without an offset. */
const TIME_FORMAT = '%Y-%m-%d %H:%M:%S';

/** The whole file as text. */
export function datapackageText({ timeZone, license, tables }: PublishedData): string {
  const descriptor = {
    profile: 'tabular-data-package',
    name: 'air-quality-open-data',
    title: 'Air quality and weather: sensors, hours and days',
    description: `Times are local to ${timeZone}, without an offset. README.txt says the same in words.`,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    resources: tables.map(({ name, title, path, bytes, fields, key }) => ({
      profile: 'tabular-data-resource',
      name,
      title,
      path,
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      bytes,
      schema: {
        fields: fields.map(fieldOf),
        missingValues: [''],
        ...(key === undefined ? {} : { primaryKey: key }),
        ...(fields[0]?.name === 'sensor_id' ? { foreignKeys: [TO_SENSORS] } : {}),
      },
    })),
  };
  return `${JSON.stringify(descriptor, null, 2)}\n`;
}

const TO_SENSORS = { fields: 'sensor_id', reference: { resource: 'sensors', fields: 'id' } };

/** A single word is the license's identifier, such as CC-BY-4.0. */
function licenseOf(text: string): object {
  const title = text.split('\n', 1)[0];
  return { ...(/^[-\w.]+$/.test(text) ? { name: text } : {}), path: 'LICENSE', title };
}

function fieldOf({ name, type, meaning, unit }: Field): object {
  return {
    name,
    type,
    ...(type === 'datetime' ? { format: TIME_FORMAT } : {}),
    description: meaning,
    ...(unit === undefined ? {} : { unit, ucum: unit === 'm' ? 'm' : UCUM_CODES[unit] }),
  };
}
