/** The OpenAPI 3.1 document of the public API, made from the endpoints and schemas of the contract, so that it can't differ from them. */
import { createRequire } from 'node:module';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type Endpoint, LOCALES, PATH_PARAMETERS, parametersIn } from './endpoints.ts';
import { EXAMPLES } from './examples.ts';
import { ALL_ENDPOINTS } from './explore.ts';
import { PROBLEMS, problem } from './problem.ts';

const { version, license } = createRequire(import.meta.url)('../../package.json') as Record<
  'version' | 'license',
  string
>;

/** Markdown, so lines may end anywhere. */
const DESCRIPTION = `Air-quality and weather measurements of monitoring stations, and of the cities and districts they stand
in: current values and history.

Send a \`User-Agent\` header that names your application or project. If you publish what you make of the data, credit the
site that runs this API as their source.

Times are local, with their offset. A value that is unknown is \`null\`; a bucket of a history without readings is absent.
\`x-unit\` is the unit of a number as a UCUM code. A path that ends in \`-history.json\` is a history. HEAD and OPTIONS work
wherever GET does; there are no query parameters.`;

const seconds = z.int().min(0).meta({ 'x-unit': 's' });

const HEADERS = {
  ETag: header(z.string(), 'validator of this content in this coding; send it back as `If-None-Match`'),
  'Cache-Control': header(z.string(), 'how long the answer may be kept; `no-store` for errors'),
  'Content-Language': header(z.enum(LOCALES), 'the locale in the path'),
  Vary: header(z.string(), 'always `Accept-Encoding`'),
  'Last-Modified': header(z.string().optional(), 'when the content last changed, where that is known'),
  Age: header(seconds.optional(), 'seconds since the answer was current, while the database is unreachable'),
  Allow: header(z.string(), 'the methods that are supported'),
  'Retry-After': header(seconds, 'seconds after which to try again'),
};

const VALIDATORS = pick(HEADERS, ['ETag', 'Cache-Control', 'Content-Language', 'Vary', 'Last-Modified', 'Age']);

const NOT_MODIFIED: ZodOpenApiResponseObject = {
  id: 'NotModified',
  description: 'The client has this content already.',
  headers: VALIDATORS,
};

/** By status. */
const PROBLEM_RESPONSES: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
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

/** By name. */
const PARAMETERS: Record<string, z.ZodType> = Object.fromEntries(
  Object.entries(PATH_PARAMETERS).map(([id, { meaning, schema }]) => [
    id,
    schema.meta({ param: { id, description: meaning } }),
  ]),
);

/** Whose data the API has: a page or mail address to ask at, and the licence of the data; empty: unknown. */
type Publisher = { contact: string; license: string };

/** The document. What has an id is a component in it, and referred to wherever it is used. */
export function makeOpenApi({ contact, license: ofData }: Publisher = { contact: '', license: '' }) {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'airseries',
        version,
        description: DESCRIPTION,
        ...(contact !== '' && { contact: contact.includes('@') ? { email: contact } : { url: contact } }),
        license: ofData === '' ? { name: license, identifier: license } : { name: ofData },
      },
      servers: [{ url: '/', description: 'the server that this document is from' }],
      security: [],
      paths: Object.fromEntries(
        Object.entries(ALL_ENDPOINTS).map(([name, endpoint]) => [endpoint.path, { get: operation(name, endpoint) }]),
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
  const example = EXAMPLES[name];
  return {
    operationId: name,
    summary,
    requestParams: { path: pick(PARAMETERS, parametersIn(path)) },
    responses: {
      200: {
        description: answer.description ?? summary,
        headers: VALIDATORS,
        content: { [media]: { schema: answer, ...(example !== undefined && { example }) } },
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
  return z.object(Object.fromEntries(names.map((name) => [name, schemas[name]])) as Record<Name, z.ZodType>);
}
