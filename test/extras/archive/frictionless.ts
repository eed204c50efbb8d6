/**
 * Checks a package of CSV files by the specification of Frictionless Data Packages 1.0: the
 * descriptor by a JSON schema, and each file by its descriptor.
 */
import { Ajv } from 'ajv';
import { type Records, readCsv } from './csv.ts';

type Reference = { fields: string; reference: { resource: string; fields: string } };
type Resource = {
  name: string;
  path: string;
  bytes: number;
  schema: {
    fields: { name: string; type: string; format?: string; unit?: string }[];
    primaryKey?: string | string[];
    foreignKeys?: Reference[];
  };
};
export type DataPackage = { licenses?: object[]; resources: Resource[] };

/** A relative path with forward slashes within the folder. */
const PATH = '^(?![./~])(?!.*\\.\\.)[^\\\\]+$';
const NAME = { type: 'string', pattern: '^[-a-z0-9._/]+$' };
const TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'date',
  'time',
  'datetime',
  'year',
  'yearmonth',
  'duration',
  'geopoint',
  'geojson',
  'any',
];
const FIELD_NAMES = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
};

const DESCRIPTOR = {
  type: 'object',
  required: ['name', 'resources', 'profile'],
  properties: {
    profile: { const: 'tabular-data-package' },
    name: NAME,
    title: { type: 'string' },
    description: { type: 'string' },
    licenses: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        anyOf: [{ required: ['name'] }, { required: ['path'] }],
        properties: {
          name: { type: 'string', pattern: '^[-a-zA-Z0-9._]+$' },
          path: { type: 'string', pattern: PATH },
          title: { type: 'string' },
        },
      },
    },
    resources: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name', 'path', 'profile', 'schema'],
        properties: {
          profile: { const: 'tabular-data-resource' },
          name: NAME,
          path: { type: 'string', pattern: PATH },
          encoding: { const: 'utf-8' },
          bytes: { type: 'integer' },
          schema: {
            type: 'object',
            required: ['fields'],
            properties: {
              missingValues: { type: 'array', items: { type: 'string' } },
              primaryKey: FIELD_NAMES,
              foreignKeys: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['fields', 'reference'],
                  properties: { reference: { type: 'object', required: ['resource', 'fields'] } },
                },
              },
              fields: {
                type: 'array',
                minItems: 1,
                items: {
                  type: 'object',
                  required: ['name', 'type'],
                  properties: {
                    name: { type: 'string' },
                    type: { enum: TYPES },
                    format: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

const VALUES: Readonly<Record<string, RegExp>> = {
  string: /^/,
  integer: /^-?\d+$/,
  number: /^-?\d+(\.\d+)?$/,
  boolean: /^(true|True|TRUE|1|false|False|FALSE|0)$/,
  'datetime %Y-%m-%d %H:%M:%S': /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
};

/** The problems, in words; `files` by name. */
export function packageProblems(
  descriptor: DataPackage,
  files: Readonly<Record<string, string>>,
): string[] {
  const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false });
  if (!ajv.validate(DESCRIPTOR, descriptor)) return [ajv.errorsText(ajv.errors)];
  const tables = new Map<string, Records>();
  const problems = descriptor.resources.flatMap((resource) => {
    const { names, records } = readCsv(files[resource.path] ?? '');
    tables.set(resource.name, records);
    return tableProblems(resource, names, records, Buffer.byteLength(files[resource.path] ?? ''));
  });
  const dangling = descriptor.resources.flatMap(({ name, schema }) =>
    (schema.foreignKeys ?? []).flatMap(({ fields, reference }) => {
      const known = new Set(
        tables.get(reference.resource)?.map((record) => record[reference.fields]),
      );
      const unknown = (tables.get(name) ?? []).filter((record) => !known.has(record[fields]));
      return unknown.map((record) => `${name}: no ${reference.resource} ${record[fields]}`);
    }),
  );
  const twice = descriptor.resources.length - tables.size;
  return [
    ...problems,
    ...dangling,
    ...(twice > 0 ? [`${twice} names of resources occur twice`] : []),
  ];
}

function tableProblems(
  { name, path, bytes, schema }: Resource,
  names: string[],
  records: Records,
  size: number,
) {
  const problems: string[] = [];
  if (size !== bytes) problems.push(`${path} has ${size} bytes, not ${bytes}`);
  if (names.join() !== schema.fields.map((field) => field.name).join())
    problems.push(`${path} has columns ${names}`);
  for (const { name: field, type, format } of schema.fields) {
    const pattern = VALUES[format === undefined ? type : `${type} ${format}`];
    const wrong = records
      .map((record) => record[field] as string)
      .find((value) => value !== '' && !pattern?.test(value));
    if (wrong !== undefined) problems.push(`${path}: ${field} is no ${type}: ${wrong}`);
  }
  const key = [schema.primaryKey ?? []].flat();
  const keys = new Set(records.map((record) => key.map((field) => record[field]).join()));
  if (key.length > 0 && keys.size < records.length) problems.push(`${name}: ${key} is not unique`);
  return problems;
}
