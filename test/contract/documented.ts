/**
 * Compares responses of the public API with its OpenAPI document: path, status, headers, media
 * type, and the body, strictly.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Response } from 'supertest';
import { makeOpenApi } from '../../src/contract/openapi.ts';

type Ref = { $ref: string };
type Documented = {
  description: string;
  headers?: Record<string, Ref>;
  content?: {
    'application/json'?: { schema: Ref; example?: unknown };
    'text/csv'?: { schema: Described['schema'] };
  };
};
type Described = { description: string; schema: { type?: string } };

/**
 * The document as a client gets it: test/serve/openapi.test.ts compares it with the served one. The
 * type has only the parts that tests read.
 */
export const openApi: {
  info: { description: string };
  tags: { name: string }[];
  paths: Record<
    string,
    { get: { tags: string[]; parameters: Ref[]; responses: Record<string, Documented | Ref> } }
  >;
  components: {
    schemas: Record<string, unknown>;
    parameters: Record<string, Described & { name: string; example: unknown }>;
    headers: Record<string, Described & { required?: boolean }>;
    responses: Record<string, Documented>;
  };
} = JSON.parse(JSON.stringify(makeOpenApi()));

const NAME = 'openapi.json';
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: { 'date-time': isInstant },
});
ajv.addVocabulary([...Object.keys(openApi), 'x-unit']);
ajv.addSchema({ ...openApi, $id: NAME });

/** A history comes before other paths that could match it. */
const PATHS = Object.entries(openApi.paths).map(([path, { get }]) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  responses: get.responses,
}));

/**
 * A validator of a schema, in the document or by itself. Throws on a keyword that JSON Schema
 * doesn't have.
 */
export function validatorOf(schema: object & { $ref?: string }): ValidateFunction {
  const { $ref } = schema;
  if ($ref === undefined) return ajv.compile(schema);
  const validate = ajv.getSchema(`${NAME}${$ref}`);
  if (validate === undefined) throw new Error(`the document has no ${$ref}`);
  return validate;
}

/** The documented response for a status at a path, references followed. Throws if it has no such response. */
export function documentedResponse(path: string, status: number): Documented {
  const known = PATHS.find(({ pattern }) => pattern.test(path));
  // a path that the document does not have is answered with a problem
  const responses = known?.responses ?? PATHS[0]?.responses ?? {};
  const found = status < 400 && known === undefined ? undefined : responses[status];
  if (found === undefined) throw new Error(`the document has no ${status} for ${path}`);
  if (!('$ref' in found)) return found;
  const name = found.$ref.split('/').at(-1) ?? '';
  const response = openApi.components.responses[name];
  if (response === undefined) throw new Error(`the document has no ${found.$ref}`);
  return response;
}

/**
 * Throws where a response differs from the document. Only GET and HEAD are documented, and problems
 * for other methods.
 */
export function expectDocumented(res: Response): void {
  const { method, url } = (res as unknown as { request: { method: string; url: string } }).request;
  const path = new URL(url).pathname;
  if (path === '/' || path === '/openapi.json' || (method === 'OPTIONS' && res.status === 204))
    return;
  const { headers = {}, content } = documentedResponse(path, res.status);
  const fail = (message: string) => {
    throw new Error(`${method} ${path}: ${res.status} ${message}`);
  };
  for (const name of Object.keys(headers)) {
    const value: string | undefined = res.headers[name.toLowerCase()];
    const { required, schema } =
      openApi.components.headers[name] ?? fail(`has a header ${name} without a description`);
    if (value === undefined && required) fail(`lacks the header ${name}`);
    if (value !== undefined && schema.type === 'integer' && !/^\d+$/.test(value))
      fail(`has ${name}: ${value}`);
  }
  if (content === undefined || method === 'HEAD') {
    if (res.text) fail('has a body');
    return;
  }
  const [[type = '', { schema } = {}] = []] = Object.entries(content);
  if (!res.headers['content-type']?.startsWith(type)) fail(`is ${res.headers['content-type']}`);
  if (schema === undefined || !('$ref' in schema)) return;
  const validate = validatorOf(schema);
  if (!validate(res.body)) fail(`does not match the document: ${ajv.errorsText(validate.errors)}`);
}

function isInstant(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
