/** The reference of the API as a page, made from its OpenAPI document: whatever that says is here, linked, and can be tried. */
import type { Network } from '../api/current.ts';
import { PATH_PARAMETERS } from '../contract/endpoints.ts';
import { makeOpenApi } from '../contract/openapi.ts';
import { addressLine, ORIGIN_MARK } from './developers.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

/** What this page reads of the document. */
type Schema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  'x-unit'?: string;
};
type Ref = { $ref: string };
type Described = { description: string; schema: Schema; required?: boolean };
type Answer = {
  description: string;
  headers?: Record<string, Ref>;
  content?: Record<string, { schema: Schema; example?: unknown }>;
};
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters: Ref[];
  responses: Record<string, Answer | Ref>;
};
type Reference = {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Described & { name: string }>;
    headers: Record<string, Described>;
    responses: Record<string, Answer>;
  };
};

const words = WORDS.en;
const HOUR_MS = 3_600_000;

/** Values of the path parameters with which every endpoint answers. */
type TryValues = Readonly<Record<string, string>>;

const instantValues = (timestamp: string): TryValues => {
  const date = timestamp.slice(0, 10);
  const closed = new Date(Date.parse(timestamp) - 2 * HOUR_MS).toISOString();
  return {
    year: date.slice(0, 4),
    month: date.slice(0, 7),
    date,
    from: date,
    to: date,
    hour: `${closed.slice(0, 13)}Z`,
  };
};

/** Of the demo network. */
export const DEMO_VALUES: TryValues = Object.fromEntries(
  Object.entries(PATH_PARAMETERS).map(([name, { example }]) => [name, String(example)]),
);

/** Of a network: a station that is online, and a city, where there are any. */
export function valuesOf({ stations, regions }: Pick<Network, 'stations' | 'regions'>): TryValues {
  const listed = stations.filter((row) => row.is_listed);
  const station = listed.find((row) => row.measurement_time !== null) ?? listed[0];
  const region = regions.find((row) => row.is_hidden !== true);
  return {
    ...DEMO_VALUES,
    ...(station !== undefined && { id: String(station.id) }),
    ...(station?.measurement_time && instantValues(station.measurement_time)),
    ...(region !== undefined && { slug: region.slug }),
  };
}

export function docsPage(tryValues: TryValues): Page {
  const api = JSON.parse(JSON.stringify(makeOpenApi())) as Reference;
  const { info, paths, components } = api;
  const operations = Object.entries(paths).map(([path, { get }]) => ({ path, ...get }));
  const statuses = new Map<string, string>();
  for (const { responses } of operations)
    for (const [status, answer] of Object.entries(responses))
      if ('$ref' in answer) statuses.set(nameOf(answer.$ref), status);
  const parameters = Object.entries(components.parameters).map(([id, { name, description, schema }]) => {
    return { id: `parameter-${id}`, name, type: typeOf(schema), meaning: prose(description) };
  });
  const headers = Object.entries(components.headers).map(([name, { description, schema, required }]) => ({
    id: `header-${name}`,
    name,
    type: html`${typeOf(schema)}${required !== true && ', not always'}`,
    meaning: html`${prose(description)}${schema['x-unit'] !== undefined && html` <small>in ${schema['x-unit']}</small>`}`,
  }));
  const sections: [id: string, title: string, content: Html | Html[], entries: [id: string, title: string][]][] = [
    [
      'endpoints',
      'Endpoints',
      operations.map((one) => endpointPart(api, one, tryValues)),
      operations.map(({ operationId, summary }) => [operationId, capital(summary)]),
    ],
    ['parameters', 'Parameters of paths', table(parameters), []],
    [
      'fields',
      'Fields of answers',
      Object.entries(components.schemas).map(schemaPart),
      Object.keys(components.schemas).map((name) => [`schema-${name}`, name]),
    ],
    [
      'problems',
      'Other answers and problems',
      Object.entries(components.responses).map(([name, answer]) => answerPart(name, statuses.get(name), answer)),
      [],
    ],
    ['headers', 'Headers of answers', table(headers), []],
  ];
  return {
    locale: 'en',
    path: undefined,
    title: words.docs,
    scripts: ['developers'],
    body: html`<h1>${words.docs} <small>${info.title} ${info.version}</small></h1>
<div class="docs" ${ORIGIN_MARK}>
<nav aria-label="Contents"><ul>${sections.map(
      ([id, title, , entries]) =>
        html`<li><a href="#${id}">${title}</a>${entries.length > 0 && html`<ul>${entries.map(([to, name]) => html`<li><a href="#${to}">${name}</a></li>`)}</ul>`}</li>\n`,
    )}</ul></nav>
<div>
${info.description.split(/\n{2,}/).map((text) => html`<p>${prose(text)}</p>\n`)}
<p>This page is made from <a href="/openapi.json">/openapi.json</a> (OpenAPI ${api.openapi}), from which many tools make clients.</p>
${sections.map(([id, title, content]) => html`<section id="${id}"><h2>${title}</h2>\n${content}</section>\n`)}
</div></div>`,
  };
}

function endpointPart(
  api: Reference,
  { path, ...operation }: Operation & { path: string },
  tryValues: TryValues,
): Html {
  const { operationId, summary, description, parameters, responses } = operation;
  const names = parameters.map(({ $ref }) => nameOf($ref));
  const { content = {}, headers = {} } = responses[200] as Answer;
  const address = path.replace(/\{(\w+)\}/g, (whole, name) => tryValues[name] ?? whole);
  return html`<article id="${operationId}">
<h3><a class="anchor" href="#${operationId}">${capital(summary)}</a></h3>
<p><b>GET</b> <code>${path}</code></p>
<p>${prose(description)}</p>
<dl>
${names.map((name) => html`<dt><a href="#parameter-${name}"><code>${name}</code></a></dt><dd>${prose(api.components.parameters[name]?.description ?? '')}</dd>\n`)}
${Object.entries(content).map(([media, { schema }]) => html`<dt>200 <small>${media}</small></dt><dd>${typeOf(schema)}<br><small>with ${linked(Object.keys(headers), 'header-')}</small></dd>\n`)}
<dt>Others</dt><dd>${linked(
    Object.keys(responses).filter((status) => status !== '200'),
    'status-',
  )}</dd>
</dl>
${addressLine(words, address, 'Try it')}
${Object.values(content).map(({ example }) => example !== undefined && html`<details><summary>Example</summary><pre class="scroll" tabindex="0">${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre></details>`)}
</article>
`;
}

const linked = (names: readonly string[], prefix: string) =>
  names.map((name, n) => html`${n > 0 && ', '}<a href="#${prefix}${name}">${name}</a>`);

function schemaPart([name, schema]: [string, Schema]): Html {
  return html`<article id="schema-${name}"><h3><a class="anchor" href="#schema-${name}">${name}</a></h3>
<p>${prose(schema.description ?? '')}${schema.properties === undefined && html`: ${typeOf(schema)}`}</p>
${schema.properties !== undefined && table(fieldsOf(schema.properties, name))}</article>
`;
}

type Row = { id: string; name: string; type: Html; meaning: Html };

/** Of an object within another, the fields follow with its name before theirs. */
function fieldsOf(properties: Record<string, Schema>, owner: string, before = ''): Row[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${before}${key}`;
    const inner = schema.items ?? schema;
    const [, meaning = '', unit] = /^(.*?)(?: \[([^\]]+)\])?$/s.exec(schema.description ?? '') ?? [];
    const code = schema['x-unit'];
    const row = {
      id: `${owner}.${name}`,
      name,
      type: typeOf(schema),
      meaning: html`${prose(meaning)}${code !== undefined && html` <small class="unit">${unit ?? code}${unit !== code && html` (UCUM <code>${code}</code>)`}</small>`}`,
    };
    return [row, ...fieldsOf(inner.properties ?? {}, owner, `${name}${inner === schema ? '.' : '[].'}`)];
  });
}

function table(rows: readonly Row[]): Html {
  return html`<table class="fields"><tbody>
${rows.map(({ id, name, type, meaning }) => html`<tr id="${id}"><th scope="row"><a class="anchor" href="#${id}"><code>${breakable(name)}</code></a><br><small>${type}</small></th><td>${meaning}</td></tr>\n`)}</tbody></table>`;
}

function answerPart(
  name: string,
  status: string | undefined,
  { description, headers = {}, content = {} }: Answer,
): Html {
  return html`<article id="status-${status}"><h3><a class="anchor" href="#status-${status}">${status} <small>${name}</small></a></h3>
<p>${prose(description)}<br><small>with ${linked(Object.keys(headers), 'header-')}${Object.values(content).map(({ schema }) => html`; the body is a ${typeOf(schema)}`)}</small></p></article>
`;
}

/** A type in words, with links to components. */
function typeOf(schema: Schema): Html {
  const { $ref, anyOf, enum: values, type, items, minItems, maxItems, minimum, maximum, format, pattern } = schema;
  if ($ref !== undefined) return html`<a href="#schema-${nameOf($ref)}">${nameOf($ref)}</a>`;
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ');
  if (values !== undefined)
    return joined(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ', ',
    );
  if (Array.isArray(type))
    return joined(
      type.map((one) => typeOf({ ...schema, type: one })),
      ' or ',
    );
  if (type === 'array')
    return html`list of ${maxItems !== undefined && `${minItems === maxItems ? '' : 'up to '}${maxItems} `}${typeOf(items ?? {})}`;
  if (type === 'integer' || type === 'number') {
    return html`${type}${minimum !== undefined && ` from ${minimum}`}${maximum !== undefined && ` to ${maximum}`}`;
  }
  if (format === 'date-time') return html`time`;
  return html`${type ?? 'any'}${pattern !== undefined && type === 'string' && html` matching <code>${pattern}</code>`}`;
}

/** Long names may break after an underscore. */
const breakable = (name: string) => name.split(/(?<=_)/).map((part, n) => html`${n > 0 && html`<wbr>`}${part}`);

const joined = (parts: readonly Html[], by: string) => html`${parts.map((part, n) => html`${n > 0 && by}${part}`)}`;

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

/** The Markdown that descriptions use: code between backticks. */
const prose = (text: string) =>
  html`${text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`;
