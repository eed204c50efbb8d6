/** The OpenAPI 3.1 document of the public API, made from the endpoints and schemas of the contract, so that it can't differ from them. */
import { createRequire } from 'node:module';
import {
  ENDPOINTS,
  type EndpointName,
  LOCALES,
  PATH_PARAMETERS,
  type PathParameterName,
  parametersIn,
} from './endpoints.ts';
import { EXAMPLES } from './examples.ts';
import { inlineSchema, type JsonSchema, namedSchemas, type SchemaRef, schemaRef } from './jsonSchemas.ts';
import { PROBLEMS, problem } from './problem.ts';

type Ref = { $ref: string };
type Header = { description: string; required?: boolean; schema: JsonSchema };
type Parameter = { name: string; in: 'path'; required: true; description: string; schema: JsonSchema };
type Response = {
  description: string;
  headers?: Record<string, Ref>;
  content?: { 'application/json': { schema: SchemaRef; example?: unknown } };
};
type Operation = {
  operationId: string;
  summary: string;
  parameters: Ref[];
  responses: Record<string, Response | Ref>;
};

type OpenApiDocument = {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  security: [];
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
  };
};

const { version, license } = createRequire(import.meta.url)('../../package.json') as Record<string, string>;

/** Markdown, so lines may end anywhere. */
const DESCRIPTION = `Air-quality and weather measurements of monitoring stations, and of the cities and districts they stand
in: current values and history.

Send a \`User-Agent\` header that names your application or project. If you publish what you make of the data, credit the
site that runs this API as their source.

Times are local, with their offset. A value that is unknown is \`null\`; a bucket of a history without readings is absent.
\`x-unit\` is the unit of a number as a UCUM code. A path that ends in \`-history.json\` is a history. HEAD and OPTIONS work
wherever GET does; there are no query parameters.`;

const HEADERS = {
  ETag: {
    description: 'validator of this content in this coding; send it back as `If-None-Match`',
    required: true,
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: 'how long the answer may be kept; `no-store` for errors',
    required: true,
    schema: { type: 'string' },
  },
  'Content-Language': {
    description: 'the locale in the path',
    required: true,
    schema: { type: 'string', enum: [...LOCALES] },
  },
  Vary: { description: 'always `Accept-Encoding`', required: true, schema: { type: 'string' } },
  'Last-Modified': { description: 'when the content last changed, where that is known', schema: { type: 'string' } },
  Age: {
    description: 'seconds since the answer was current, while the database is unreachable',
    schema: { type: 'integer', minimum: 0, 'x-unit': 's' },
  },
  Allow: { description: 'the methods that are supported', required: true, schema: { type: 'string' } },
  'Retry-After': {
    description: 'seconds after which to try again',
    required: true,
    schema: { type: 'integer', minimum: 0, 'x-unit': 's' },
  },
} satisfies Record<string, Header>;

const VALIDATORS = headers('ETag', 'Cache-Control', 'Content-Language', 'Vary', 'Last-Modified', 'Age');

/** The document. Throws if the response of an endpoint has no named schema. */
export function makeOpenApi(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'airseries',
      version,
      description: DESCRIPTION,
      license: { name: license, identifier: license },
    },
    servers: [{ url: '/', description: 'the server that this document is from' }],
    security: [],
    paths: Object.fromEntries(names(ENDPOINTS).map((name) => [ENDPOINTS[name].path, { get: operation(name) }])),
    components: {
      schemas: namedSchemas(),
      parameters: Object.fromEntries(names(PATH_PARAMETERS).map((name) => [name, parameter(name)])),
      headers: HEADERS,
      responses: {
        NotModified: { description: 'The client has this content already.', headers: VALIDATORS },
        ...Object.fromEntries(
          Object.values(PROBLEMS).map(({ name, meaning, header }) => [
            name,
            {
              description: meaning,
              headers: headers('Cache-Control', ...(header === undefined ? [] : [header])),
              content: { 'application/json': { schema: schemaRef(problem) } },
            },
          ]),
        ),
      },
    },
  };
}

function operation(name: EndpointName): Operation {
  const { path, summary, answer } = ENDPOINTS[name];
  const example = (EXAMPLES as Partial<Record<EndpointName, unknown>>)[name];
  const problems = Object.entries(PROBLEMS).map(([status, one]) => [status, ref('responses', one.name)]);
  return {
    operationId: name,
    summary,
    parameters: parametersIn(path).map((one) => ref('parameters', one)),
    responses: {
      200: {
        description: answer.description ?? summary,
        headers: VALIDATORS,
        content: { 'application/json': { schema: schemaRef(answer), ...(example !== undefined && { example }) } },
      },
      304: ref('responses', 'NotModified'),
      ...Object.fromEntries(problems),
    },
  };
}

function parameter(name: PathParameterName): Parameter {
  const { meaning, schema } = PATH_PARAMETERS[name];
  return { name, in: 'path', required: true, description: meaning, schema: inlineSchema(schema) };
}

function headers(...all: (keyof typeof HEADERS)[]): Record<string, Ref> {
  return Object.fromEntries(all.map((name) => [name, ref('headers', name)]));
}

function ref(kind: 'parameters' | 'headers' | 'responses', name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}

function names<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
