/**
 * The OpenAPI 3.1 document of the public API, made from the endpoints and schemas of the contract,
 * so that it can't differ from them.
 */
import { createRequire } from 'node:module';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type Endpoint, LOCALES, PATH_PARAMETERS, parametersIn } from './endpoints.ts';
import { ALL_ENDPOINTS } from './explore.ts';
import { PROBLEMS, problem } from './problem.ts';

const require = createRequire(import.meta.url);
const { version } = require('../../package.json') as { version: string };

/**
 * Answers of the demo network by endpoint, lists cut to one element, written by `npm run examples`.
 */
const EXAMPLES = require('./examples.json') as Readonly<Record<string, unknown>>;

/** Markdown, so lines may end anywhere. */
const DESCRIPTION = `Air-quality and weather measurements of monitoring stations, and of the cities and districts they stand
in: current values and history.

Send a \`User-Agent\` header that names your application or project. If you publish what you make of the data, credit the
site that runs this API as their source.

Times are local, with their offset. A value that is unknown is \`null\`; a bucket of a history without readings is absent.
\`x-unit\` is the unit of a number as a UCUM code. A path that ends in \`-history.json\` is a history. HEAD and OPTIONS work
wherever GET does. There are no query parameters: below \`/explore/\` an address with a query is 404, elsewhere it is ignored.`;

const seconds = z.int().min(0).meta({ 'x-unit': 's' });

const HEADERS = {
  ETag: header(
    z.string(),
    'validator of this content in this coding; send it back as `If-None-Match`',
  ),
  'Cache-Control': header(z.string(), 'how long the answer may be kept; `no-store` for errors'),
  'Content-Language': header(z.enum(LOCALES), 'the locale in the path'),
  Vary: header(z.string(), 'always `Accept-Encoding`'),
  'Last-Modified': header(
    z.string().optional(),
    'when the content last changed, where that is known',
  ),
  Age: header(
    seconds.optional(),
    'seconds since the answer was current, while the database is unreachable',
  ),
  Link: header(z.string(), 'where the columns of the file are described (`rel="describedby"`)'),
  Allow: header(z.string(), 'the methods that are supported'),
  'Retry-After': header(seconds, 'seconds after which to try again'),
};

const VALIDATORS = pick(HEADERS, ['ETag', 'Cache-Control', 'Vary', 'Last-Modified', 'Age']);

const NOT_MODIFIED: ZodOpenApiResponseObject = {
  id: 'NotModified',
  description: 'The client has this content already.',
  headers: VALIDATORS,
};

/** Problems by status. */
export const PROBLEM_RESPONSES: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
  Object.entries(PROBLEMS).map(([status, one]) => [
    status,
    {
      id: one.name,
      description: one.meaning,
      headers: pick(HEADERS, ['Cache-Control', ...(one.header === undefined ? [] : [one.header])]),
      content: { 'application/json': { schema: problem } },
    },
  ]),
);

/** Parameters of paths by name. */
const PARAMETERS: Record<string, z.ZodType> = Object.fromEntries(
  Object.entries(PATH_PARAMETERS).map(([id, { meaning, schema, example }]) => [
    id,
    schema.meta({ param: { id, description: meaning, example } }),
  ]),
);

/**
 * The groups of endpoints. An endpoint belongs to the first group whose pattern its path matches.
 */
const TAGS = [
  {
    name: 'history',
    description: 'buckets of hours, days and months in windows of fixed length',
    paths: /-history\.json$/,
  },
  {
    name: 'current',
    description: 'stations, cities and districts as they are now',
    paths: /\/air-quality-app\//,
  },
  {
    name: 'explore',
    description: 'what numbers are made of, other indices, and tables',
    paths: /\/explore\//,
  },
] as const;

/**
 * Whose data the API has: their name, a page or mail address to ask at, and the licence of the
 * data; empty: unknown.
 */
type Publisher = { title?: string; contact: string; license: string };

/** Paths beside the API that an extra serves, and the group that its operations name. */
export type DescribedPaths = {
  tag: { name: string; description: string };
  paths: ZodOpenApiPathsObject;
};

const isUrl = (text: string) => /^https?:\/\//.test(text);

/** The licence by its name, its address or its SPDX identifier. */
function licenseOf(license: string) {
  if (license === '') return {};
  if (isUrl(license))
    return { termsOfService: license, license: { name: 'licence of the data', url: license } };
  if (!/^[A-Z][\w.+]*(-[\w.+]+)+$/i.test(license)) return { license: { name: license } };
  return {
    termsOfService: `https://spdx.org/licenses/${license}.html`,
    license: { name: license, identifier: license },
  };
}

function contactOf({ title = '', contact }: Publisher) {
  if (title === '' && contact === '') return {};
  const name = title === '' ? {} : { name: title };
  if (isUrl(contact)) return { contact: { ...name, url: contact } };
  if (contact.includes('@')) return { contact: { ...name, email: contact } };
  return { contact: { name: contact === '' ? title : contact } };
}

/**
 * The document. Schemas with an id become components, and are referred to wherever they are used.
 * `endpoints`: those that are served.
 */
export function makeOpenApi(
  publisher: Publisher = { contact: '', license: '' },
  beside: readonly DescribedPaths[] = [],
  endpoints: Readonly<Record<string, Endpoint>> = ALL_ENDPOINTS,
) {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'airseries',
        version,
        description: DESCRIPTION,
        ...contactOf(publisher),
        ...licenseOf(publisher.license),
      },
      tags: [
        ...TAGS.map(({ name, description }) => ({ name, description })),
        ...beside.map(({ tag }) => tag),
      ],
      servers: [{ url: '/', description: 'the server that this document is from' }],
      security: [],
      paths: Object.assign(
        Object.fromEntries(
          Object.entries(endpoints).map(([name, endpoint]) => [
            endpoint.path,
            { get: operation(name, endpoint) },
          ]),
        ),
        ...beside.map(({ paths }) => paths),
      ),
      components: { headers: HEADERS },
    },
    { override: withoutSafeBounds },
  );
}

function operation(
  name: string,
  { path, summary, answer, media = 'application/json' }: Endpoint,
): ZodOpenApiOperationObject {
  return {
    operationId: name,
    tags: TAGS.filter(({ paths }) => paths.test(path))
      .slice(0, 1)
      .map((tag) => tag.name),
    summary,
    description: answer.description ?? summary,
    requestParams: { path: pick(PARAMETERS, parametersIn(path)) },
    responses: {
      200: {
        description: summary,
        headers: VALIDATORS.extend({
          'Content-Language': HEADERS['Content-Language'],
          ...(name.endsWith('Csv') && { Link: HEADERS.Link }),
        }),
        content: { [media]: { schema: answer, example: EXAMPLES[name] } },
      },
      304: NOT_MODIFIED,
      ...PROBLEM_RESPONSES,
    },
  };
}

/** Leaves out the bounds that only say "safe integer". */
function withoutSafeBounds({ jsonSchema }: ZodOpenApiOverrideContext): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** The meaning stands beside the schema in the document, not in it. */
function header<Schema extends z.ZodType>(schema: Schema, meaning: string): Schema {
  return schema.meta({ header: { description: meaning } });
}

/** An object of some of these schemas. */
function pick<Name extends string>(schemas: Record<Name, z.ZodType>, names: readonly Name[]) {
  return z.object(
    Object.fromEntries(names.map((name) => [name, schemas[name]])) as Record<Name, z.ZodType>,
  );
}
