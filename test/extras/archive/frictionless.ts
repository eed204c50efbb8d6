/**
 * Checks a package of CSV files by the specification of Frictionless Data Packages 1.0: what it
 * must say, and each file by that.
 */
import { type Records, readCsv } from './csv.ts';

type Reference = { fields: string; reference: { resource: string; fields: string } };
type Resource = {
  name: string;
  path: string;
  profile: string;
  bytes: number;
  schema: {
    fields: { name: string; type: string; format?: string; unit?: string }[];
    primaryKey?: string | string[];
    foreignKeys?: Reference[];
  };
};
export type DataPackage = {
  name: string;
  profile: string;
  licenses?: object[];
  resources: Resource[];
};

/** A relative path with forward slashes within the folder. */
const PATH = /^(?![./~])(?!.*\.\.)[^\\]+$/;
const NAME = /^[-a-z0-9._/]+$/;

/** The types of the specification that our files have. */
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
  const { name, profile, resources } = descriptor;
  const unnamed = [descriptor, ...resources].filter((one) => !NAME.test(one.name));
  const misplaced = resources.filter(({ path }) => !PATH.test(path));
  const others = resources.filter((one) => one.profile !== 'tabular-data-resource');
  if (profile !== 'tabular-data-package' || [...unnamed, ...misplaced, ...others].length > 0)
    return [`${name}: not a package, a name, or a path: ${JSON.stringify([unnamed, misplaced])}`];
  const tables = new Map<string, Records>();
  const problems = resources.flatMap((resource) => {
    const { names, records } = readCsv(files[resource.path] ?? '');
    tables.set(resource.name, records);
    return tableProblems(resource, names, records, Buffer.byteLength(files[resource.path] ?? ''));
  });
  const dangling = resources.flatMap(({ name, schema }) =>
    (schema.foreignKeys ?? []).flatMap(({ fields, reference }) => {
      const known = new Set(
        tables.get(reference.resource)?.map((record) => record[reference.fields]),
      );
      const unknown = (tables.get(name) ?? []).filter((record) => !known.has(record[fields]));
      return unknown.map((record) => `${name}: no ${reference.resource} ${record[fields]}`);
    }),
  );
  const twice = resources.length - tables.size;
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
