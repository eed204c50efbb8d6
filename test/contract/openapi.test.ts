/** The OpenAPI document: complete, strict, with units, free of lint, good for TypeScript clients. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openApiTypes from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { CSV_HEADERS, excelOf } from '../../src/contract/csv.ts';
import { ALL_ENDPOINTS } from '../../src/contract/explore.ts';
import { makeOpenApi } from '../../src/contract/openapi.ts';
import { PARAMETERS, UCUM_CODES } from '../../src/contract/parameters.ts';
import { PROBLEMS } from '../../src/contract/problem.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';
import { documentedResponse, openApi, validatorOf } from './documented.ts';

type Json = { [key: string]: Json } & {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Json>;
  anyOf?: Json[];
  required?: string[];
  additionalProperties?: boolean;
  'x-unit'?: string;
};

const ROOT = new URL('../../', import.meta.url).pathname;
const schemas = Object.entries(openApi.components.schemas as Record<string, Json>);
const objects = schemas.filter(([, { properties }]) => properties !== undefined);
const properties = objects.flatMap(([name, { properties = {} }]) =>
  Object.entries(properties).map(([key, schema]) => [`${name}.${key}`, schema] as const),
);

/** A schema and the schemas in it, at any depth. */
function* within(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const one of Object.values(value)) yield* within(one);
}

const isNumeric = (schema: Json) =>
  [...within(schema)].some(({ type }) =>
    [type].flat().some((one) => one === 'number' || one === 'integer'),
  );

describe('the schemas', () => {
  it('the US index is a whole number, wherever it stands', () => {
    const ofIndex = properties.filter(([, one]) => one['x-unit'] === UCUM_CODES['US EPA AQI']);
    expect(ofIndex.length).toBeGreaterThan(5);
    expect(
      ofIndex.filter(([, one]) =>
        [...within(one)].some(({ type }) => `${type}`.includes('number')),
      ),
    ).toEqual([]);
  });

  it('every key of a schema is known and required, at any depth', () => {
    const loose = [...within(openApi.components.schemas)].filter(
      ({ type, properties, required, additionalProperties }) =>
        [type].flat().includes('object') &&
        !(additionalProperties === false && `${required}` === `${Object.keys(properties ?? {})}`),
    );
    expect(loose).toEqual([]);
    expect(objects.length).toBeGreaterThan(25);
    // every array has the type of its items, and is not a tuple, which Spectral refuses and
    // oazapfts takes for an empty list
    const arrays = [...within(openApi.components.schemas)].filter(({ type }) => type === 'array');
    expect(
      arrays.filter(({ items, prefixItems }) => items === undefined || prefixItems !== undefined),
    ).toEqual([]);
    const pairs = properties
      .filter(([name]) => name.includes('.range_'))
      .map(([, { anyOf }]) => anyOf?.[0]);
    const type = expect.stringMatching(/^(number|integer)$/);
    expect(pairs).toEqual(
      Array(24).fill({ type: 'array', items: { type }, minItems: 2, maxItems: 2 }),
    );
  });

  it('every schema and property has a description', () => {
    expect(
      schemas
        .filter(([, { description = '' }]) => !/\w{3}/.test(description))
        .map(([name]) => name),
    ).toEqual([]);
    expect(properties.filter(([, { description = '' }]) => !/\w{3}/.test(description))).toEqual([]);
    expect(properties.length).toBeGreaterThan(180);
  });

  it('every number has a unit, except ids and ratios, and nothing else has', () => {
    const [numbers, others] = [true, false].map((are) =>
      properties.filter(([, one]) => isNumeric(one) === are),
    );
    const named = /\.(id|year|sensor_id|station_id|stations|sensors)$/;
    const bare = numbers?.filter(([name, one]) => one['x-unit'] === undefined && !named.test(name));
    const ofMaps = [
      'StationMapHours.values',
      'StationMapHours.suspect',
      'StationMapHours.left_out',
    ];
    expect(bare?.map(([name]) => name)).toEqual([
      'Problem.status',
      'Flag.compared_with',
      ...['SensorPair.slope', 'SensorPair.r2'],
      ...['ExactBucket.wind_sin', 'ExactBucket.wind_cos'],
      ...ofMaps,
      'RegionMapHours.values',
    ]);
    expect(others?.filter(([, one]) => one['x-unit'] !== undefined)).toEqual([]);
  });

  it('a value has the same bounds as in the contract', () => {
    const { station_count } = objects.find(([name]) => name === 'City')?.[1].properties ?? {};
    expect(station_count).toEqual({
      anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }],
      description: 'number of stations in the digest used [stations]',
      'x-unit': '{stations}',
    });
  });
});

describe('the units', () => {
  it('every unit is a UCUM code', () => {
    const ATOM = /^(Cel|%|\[ppb\]|u?g|Pa|u?Sv|[mk]?m3?|s|h|d|deg|1|\{[!-z|~]+\})$/;
    for (const atom of Object.values(UCUM_CODES).flatMap((code) => code.split('/')))
      expect(atom, 'if it is in UCUM, add it to ATOM').toMatch(ATOM);
  });

  it('every parameter has a unit, and every unit is used', () => {
    const used = new Set(
      properties.map(([, one]) => one['x-unit']).filter((unit) => unit !== undefined),
    );
    expect([...used].sort()).toEqual(Object.values(UCUM_CODES).sort());
    expect(PARAMETERS.filter(({ unit }) => !(unit in UCUM_CODES))).toEqual([]);
  });
});

describe('the document', () => {
  it('the document has every endpoint with its parameters, all described', () => {
    expect(Object.keys(openApi.paths)).toEqual(
      Object.values(ALL_ENDPOINTS).map(({ path }) => path),
    );
    const { parameters, headers, responses } = openApi.components;
    for (const part of [parameters, headers, responses].flatMap(
      (parts): { description: string }[] => Object.values(parts),
    ))
      expect(part.description).toMatch(/\w{3}/);
    for (const [path, { get }] of Object.entries(openApi.paths)) {
      const named = get.parameters.map(
        ({ $ref }) => parameters[$ref.split('/').at(-1) ?? '']?.name,
      );
      expect(named.map((name) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g));
    }
  });

  it('the document has every status that the code answers errors with, and no other', () => {
    const sources = ['http', 'serve'].flatMap((room) =>
      readdirSync(join(ROOT, 'src', room)).map((name) =>
        readFileSync(join(ROOT, 'src', room, name), 'utf8'),
      ),
    );
    const statuses = sources.flatMap((text) =>
      [...text.matchAll(/new Problem\(\s*(\d+)/g)].map(([, status]) => status),
    );
    expect([...new Set(statuses)].sort()).toEqual(Object.keys(PROBLEMS));
    for (const path of Object.keys(openApi.paths)) {
      for (const status of [200, 304, ...statuses.map(Number)]) documentedResponse(path, status);
    }
    expect(() => documentedResponse('/en/air-quality-app/v1/stations.json', 418)).toThrow('no 418');
  });

  it('every parameter and every answer has an example that matches its schema', () => {
    const { parameters } = openApi.components;
    const answers = Object.values(openApi.paths).map(({ get }) => {
      const { content = {} } = get.responses[200] as ReturnType<typeof documentedResponse>;
      return Object.values(content)[0] as { schema: { $ref: string }; example?: unknown };
    });
    for (const { schema, example } of [...Object.values(parameters), ...answers]) {
      const validate = validatorOf(schema);
      validate(example);
      expect([example, validate.errors], 'npm run examples').toEqual([expect.anything(), null]);
    }
    const files = answers.flatMap(({ example }) => (typeof example === 'string' ? [example] : []));
    const form = { locale: 'en', zone: 'Asia/Yerevan' } as const;
    const excel = (['station', 'region'] as const).map((one) =>
      excelOf(one, '', form).slice(1, -1),
    );
    const begins = [
      ...Object.values(CSV_HEADERS),
      ...excel,
      '<?xml version="1.0" encoding="utf-8"?>',
    ];
    for (const text of files) expect(begins).toContain(text.split('\n')[0]);
  });

  it('every endpoint is in one group, and no group is empty', () => {
    const names = Object.values(openApi.paths).map(({ get }) => get.tags.join());
    expect([...new Set(names)].toSorted()).toEqual(openApi.tags.map(({ name }) => name).toSorted());
    expect(names.slice(0, 5)).toEqual(['current', 'history', 'current', 'history', 'current']);
  });

  it('the document asks for a User-Agent and for attribution, and has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(openApi.info).toMatchObject({ title: 'airseries', version });
    expect(openApi.info.description).toMatch(/User-Agent.*credit/s);
  });

  const infoOf = (title: string, contact: string, license: string) =>
    makeOpenApi({ title, contact, license }).info;

  it('contact and licence are the operator’s, not the program’s, and absent if unknown', () => {
    for (const key of ['contact', 'license', 'termsOfService'])
      expect(openApi.info).not.toHaveProperty(key);
    expect(infoOf('Air', 'us@air.example', 'CC-BY-4.0')).toMatchObject({
      contact: { name: 'Air', email: 'us@air.example' },
      license: { name: 'CC-BY-4.0', identifier: 'CC-BY-4.0' },
      termsOfService: 'https://spdx.org/licenses/CC-BY-4.0.html',
    });
    const url = 'https://air.example/terms';
    const byUrl = { contact: { url }, license: { url }, termsOfService: url };
    expect(infoOf('', url, url)).toMatchObject(byUrl);
    const person = 'https://social.example/@air';
    expect(infoOf('', person, '').contact).toEqual({ url: person });
    const inWords = infoOf('Air', 'the office', 'ask us first');
    expect([inWords.contact, inWords.license]).toMatchObject([
      { name: 'the office' },
      { name: 'ask us first' },
    ]);
    expect(inWords).not.toHaveProperty('termsOfService');
  });

  it('the document is free of lint, except for an unnamed licence', needs('all'), async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const lint = async (document: object) => {
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      return problems.map(({ ruleId, message, location }) => [
        ruleId,
        message,
        location[0]?.pointer,
      ]);
    };
    expect(await lint(openApi)).toEqual([['info-license', expect.any(String), '#/info']]);
    const site = { title: 'Air', contact: 'us@air.example', license: 'CC-BY-4.0' };
    expect(await lint(makeOpenApi(site))).toEqual([]);
  });
});

describe('a TypeScript client', () => {
  const CLIENT = `
    import type { components, paths } from './api.d.ts';
    type Json<Content> = Content extends { 'application/json': infer Body } ? Body : never;
    type Body<Path extends keyof paths> = Json<paths[Path]['get']['responses'][200]['content']>;
    type Values<Path extends keyof paths> = paths[Path]['get']['parameters']['path'];

    async function get<Path extends keyof paths>(path: Path, values: Values<Path>): Promise<Body<Path>> {
      const url = path.replace(/{(\\w+)}/g, (_, name) => String(values[name as keyof Values<Path>]));
      const res = await fetch(url, { headers: { 'User-Agent': 'example/1.0' } });
      const body: unknown = await res.json();
      if (res.status !== 200) throw new Error((body as components['schemas']['Problem']).detail);
      return body as Body<Path>;
    }

    const station = await get('/{locale}/air-quality-app/v1/station/{id}.json', { locale: 'hy', id: 3 });
    const pm25: number | null = station['pm2.5'];
    const point: 'N' | 'S' | null = station.wind_direction === 'N' || station.wind_direction === 'S' ? station.wind_direction : null;
    const region = await get('/{locale}/air-quality-app/v1/region/{slug}.json', { locale: 'en', slug: 'velmora' });
    const city: string = 'city' in region ? region.city : region.title;
    const history = await get('/{locale}/air-quality-app/v1/station/{id}-history.json', { locale: 'ru', id: 3 });
    const lowest: number | undefined = history['30d'][0]?.range_pm25?.[0];
    const { nowcast, european_index } = await get('/{locale}/explore/v1/station/{id}/now.json', { locale: 'en', id: 3 });
    const worst: 'good' | 'poor' | null = european_index.index === 'good' ? 'good' : 'poor';
    console.log(pm25, point, city, lowest, nowcast['pm2.5'], worst);
`;
  const WRONG = [
    "await get('/{locale}/air-quality-app/v1/stations.json', { locale: 'fr' });",
    'station.pm25;',
    "history['24h'][0]?.min_pm25;",
    'const id: string = station.id; console.log(id);',
    "station.wind_direction === 'north';",
    "european_index.index === 'bad';",
    "await get('/{locale}/air-quality-app/v1/region/{slug}.json', { locale: 'en' });",
  ];

  it('a client compiles with types generated from the document, and a wrong one does not', async () => {
    const folder = temporaryFolder('client');
    writeFileSync(join(folder, 'api.d.ts'), await openApiTypes(openApi as never));
    const marked = WRONG.map((line) => `    // @ts-expect-error\n    ${line}\n`).join('');
    writeFileSync(join(folder, 'client.ts'), `${CLIENT}${marked}`);
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      target: 'es2023',
      module: 'nodenext',
      types: [],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true } }),
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // a line that is not wrong would be an error of its own
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
