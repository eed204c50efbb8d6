/**
 * All configuration, from the environment alone: one declaration, validated at once, with every
 * problem in one message.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { LOG_LEVELS } from './base/log.ts';
import { describeVariable, VARIABLE } from './base/variable.ts';
import { webAddress, webUrl } from './base/webAddress.ts';
import { LOCALES, type Locale } from './contract/endpoints.ts';
import { EXTRAS } from './extras.ts';

/** The running month is computed from its readings, and readings may arrive late. */
const SHORTEST_RETENTION_DAYS = 35;
const DAYS = { day: 1, month: 30, year: 365 } as const;

const retention = z
  .string()
  .regex(
    /^\d+ (day|month|year)s?$/,
    'must be a duration such as "400 days", "24 months" or "2 years"',
  )
  .refine((text) => {
    const [n, unit = ''] = text.split(' ');
    return (
      Number(n) * (DAYS[unit.replace(/s$/, '') as keyof typeof DAYS] ?? 0) >=
      SHORTEST_RETENTION_DAYS
    );
  }, `must be at least ${SHORTEST_RETENTION_DAYS} days: the running month is computed from its readings, and readings may arrive late`);

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/**
 * Either would end the host name, and a part of the password would be shown as a part of the
 * address.
 */
const encodedUrl = z
  .string()
  .refine((url) => !/#|^\w+:\/\/[^?]*\/[^?]*@/.test(url), {
    error: 'has # or / in the user or the password: write # as %23, and / as %2F',
    abort: true,
  })
  .refine(isDecodable, { error: 'has % in the user or the password: write % as %25', abort: true });
const databaseUrl = encodedUrl
  .refine((url) => !/^\w+:\/\/([^/?#]*@)?[^@/?#]*,[^@/?#]*([/?#]|$)/.test(url), {
    error:
      'names several hosts: name one. To read from several, put a proxy in front, such as HAProxy (src/database/README.md)',
    abort: true,
  })
  .pipe(
    z.url({
      protocol: /^postgres(ql)?$/,
      error: 'must look like postgres://user:password@host:5432/database',
    }),
  );
const firstOfMonth = 'must be the first of a month from 1900 to 2100, such as 2011-01-01';
const whole = (from: number, to: number) => {
  const error = `must be a whole number from ${from} to ${to}`;
  return z.coerce.number({ error }).int(error).min(from, error).max(to, error);
};
const MAIL_ADDRESS = /^[^\s@:/]+@[^\s@:/]+$/;
const port = whole(0, 65_535);

type TitleKey = `siteTitle_${Locale}`;
const TITLES = Object.fromEntries(
  LOCALES.map((locale) => [
    `siteTitle_${locale}` satisfies TitleKey,
    z
      .string()
      .default('')
      .register(VARIABLE, {
        name: `SITE_TITLE_${locale.toUpperCase()}`,
        meaning: `the title in language \`${locale}\`; unset: \`SITE_TITLE\``,
      }),
  ]),
) as Record<TitleKey, z.ZodDefault<z.ZodString>>;

/** The variables of the core, by their keys in Config. */
const CORE = {
  databaseUrl: databaseUrl
    .refine(
      (url) => !url.includes('pooler='),
      'must lead to the server itself, not to a pooler: the worker holds locks of its session',
    )
    .optional()
    .register(VARIABLE, {
      name: 'DATABASE_URL',
      meaning: 'the database; unset: the bundled one',
    }),
  readerDatabaseUrl: databaseUrl.optional().register(VARIABLE, {
    name: 'READER_DATABASE_URL',
    meaning:
      'where the API reads: a login of role `airseries_reader`, or a replica (through PgBouncer: `?pooler=transaction`)',
  }),
  timeZone: z.string().optional().register(VARIABLE, {
    name: 'TIME_ZONE',
    meaning:
      "the network's time zone, where the database is made without a network file; fixed then",
    defaultsTo: 'Asia/Yerevan',
  }),
  epoch: z.iso
    .date(firstOfMonth)
    .regex(/^(?:19|20).*-01$/, firstOfMonth)
    .optional()
    .register(VARIABLE, {
      name: 'EPOCH',
      meaning: 'the earliest day accepted, the first of a month; fixed at the first start',
      defaultsTo: '2000-01-01',
    }),
  port: port.default(8080).register(VARIABLE, {
    name: 'PORT',
    meaning: 'the public API',
  }),
  adminPort: port.default(8081).register(VARIABLE, {
    name: 'ADMIN_PORT',
    meaning: '`/healthz`, `/readyz` and `/metrics`',
  }),
  adminHost: z.string().default('127.0.0.1').register(VARIABLE, {
    name: 'ADMIN_HOST',
    meaning: 'the address that the admin port listens on; `0.0.0.0` means all',
  }),
  drainSeconds: whole(0, 300).optional().register(VARIABLE, {
    name: 'DRAIN_SECONDS',
    meaning:
      'how long requests are still served after SIGTERM, while readiness is 503 and load balancers go elsewhere',
    defaultsTo: '5 with a database URL, else 0',
  }),
  role: z.enum(['all', 'api', 'worker']).default('all').register(VARIABLE, {
    name: 'ROLE',
    meaning: '`api` only serves the API; `worker` only ingests readings and runs the jobs',
  }),
  ingestPort: port.default(8082).register(VARIABLE, {
    name: 'INGEST_PORT',
    meaning: 'where readings are pushed to, once there is a token',
  }),
  ingestHost: z.string().default('127.0.0.1').register(VARIABLE, {
    name: 'INGEST_HOST',
    meaning: 'the address that the ingestion port listens on',
  }),
  ingestRate: whole(1, 1_000_000_000).default(600).register(VARIABLE, {
    name: 'INGEST_RATE',
    meaning: 'requests a minute for each token, in each process',
  }),
  rawRetention: retention.optional().register(VARIABLE, {
    name: 'RAW_RETENTION',
    meaning: 'how long readings are kept, at least `35 days`; unset: forever. Aggregates stay',
  }),
  undoDays: whole(0, 3_650).default(90).register(VARIABLE, {
    name: 'UNDO_DAYS',
    meaning:
      'for how many days an imported file can be undone (`imports undo`); `0`: nothing is kept for it',
  }),
  responseCacheMb: whole(0, 4_096).default(64).register(VARIABLE, {
    name: 'RESPONSE_CACHE_MB',
    meaning: 'memory for cached responses; `0`: every request renders its own',
  }),
  // unset: no links to the site (C7)
  siteBaseUrl: webAddress().register(VARIABLE, {
    name: 'SITE_BASE_URL',
    meaning: 'your site, for the `url` fields: `https://air.example`; unset: they are empty',
  }),
  siteTitle: z.string().default('').register(VARIABLE, {
    name: 'SITE_TITLE',
    meaning: 'the title of the pages; unset: `Air quality` in the language of each page',
  }),
  ...TITLES,
  siteContact: z
    .string()
    .refine(
      (text) => webUrl(text) !== undefined || MAIL_ADDRESS.test(text),
      'must be the address of a page, such as https://air.example/contact, or of mail, such as air@town.example',
    )
    .default('')
    .register(VARIABLE, {
      name: 'SITE_CONTACT',
      meaning: 'a web or mail address for questions about the data; on the pages and in OpenAPI',
    }),
  siteLicense: z.string().default('').register(VARIABLE, {
    name: 'SITE_LICENSE',
    meaning: 'the licence of the data, such as `CC-BY-4.0`; on the pages and in OpenAPI',
  }),
  index: z
    .enum(['aqi', 'eaqi'], {
      error:
        'must be aqi, the index of the US EPA, or eaqi, the European index. Write one of them, or unset it for aqi',
    })
    .default('aqi')
    .register(VARIABLE, {
      name: 'INDEX',
      meaning:
        'the index in headlines, lists and on maps: `aqi` (US EPA, of particles) or `eaqi` (European, counts gases too)',
    }),
  fixedNow: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 instant such as 2026-11-20T12:00:00Z' })
    .transform((text) => new Date(text))
    .optional()
    .register(VARIABLE, {
      name: 'FIXED_NOW',
      meaning: 'freezes the clock at an ISO instant, for checks',
    }),
  logLevel: z
    .enum(LOG_LEVELS)
    .default('info')
    .register(VARIABLE, {
      name: 'LOG_LEVEL',
      meaning: LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
    }),
};

const SHAPE: Readonly<Record<string, z.ZodType>> = { ...CORE, ...variablesOfExtras() };

/** Throws where two have the same key. */
function variablesOfExtras(): Readonly<Record<string, z.ZodType>> {
  const all = EXTRAS.flatMap(({ variables }) => Object.entries(variables));
  const keys = [...Object.keys(CORE), ...all.map(([key]) => key)];
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Error(`two variables have the key ${twice}`);
  return Object.fromEntries(all);
}

const SCHEMA = z.object(SHAPE);

type Core = z.infer<z.ZodObject<typeof CORE>> & { drainSeconds: number };
/** The core's settings, and the extras', which only an extra can read. */
export type Config = Core & Readonly<Record<string, unknown>>;

/**
 * Every variable: key in Config, whether it is the core's or an extra's, name, default as text (''
 * stands for no default), meaning in Markdown.
 */
export const CONFIGURATION = Object.entries(SHAPE).map(([key, schema]) => ({
  key,
  isCore: key in CORE,
  ...describeVariable(schema),
}));

/** The names alone; Dockerfile and compose file are checked against them. */
export const VARIABLES: readonly string[] = CONFIGURATION.map(({ name }) => name);

/**
 * An empty variable counts as unset, as in `PORT= npm start` and most compose files. Throws an
 * Error that lists every problem.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = CONFIGURATION.map(({ key, name }) => [
    key,
    environment[name] === '' ? undefined : environment[name],
  ]);
  const parsed = SCHEMA.safeParse(Object.fromEntries(given));
  const problems = new Map(misnamed(environment));
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = CONFIGURATION.find(({ key }) => key === path[0])?.name ?? '';
    if (!problems.has(name)) problems.set(name, message); // the first says what the others do
  }
  if (!parsed.success || problems.size > 0) {
    const lines = [...problems].map(([name, message]) => {
      // it holds a password
      const shown = /DATABASE/.test(name) ? '' : `=${environment[name]}`;
      return `  ${name}${shown}: ${message}`;
    });
    throw new Error(`The configuration (environment) is not usable:\n${lines.join('\n')}`);
  }
  const { databaseUrl: writes, readerDatabaseUrl: reads, role, drainSeconds } = parsed.data as Core;
  if (reads !== undefined && writes === undefined && role !== 'api') {
    throw new Error(
      'READER_DATABASE_URL alone is enough for ROLE=api only; all other roles write, and need DATABASE_URL too.',
    );
  }
  if (role === 'api' && (reads ?? writes) === undefined) {
    throw new Error(
      'ROLE=api only serves what a worker computes: set READER_DATABASE_URL or DATABASE_URL to the database of the worker. ' +
        'An embedded server has its worker in the same process: leave ROLE unset.',
    );
  }
  for (const { conflict } of EXTRAS) {
    const message = conflict?.(parsed.data);
    if (message !== undefined) throw new Error(message);
  }
  return {
    ...(parsed.data as Config),
    drainSeconds: drainSeconds ?? ((writes ?? reads) === undefined ? 0 : 5),
  };
}

/** Names at least this long may differ by one letter and still be a typo. */
const LONG_NAME = 8;

/** As in `PROT`. */
const hasTwoSwapped = (name: string, of: string): boolean =>
  [...of].some(
    (_, n) => n > 0 && name === `${of.slice(0, n - 1)}${of[n]}${of[n - 1]}${of.slice(n + 1)}`,
  ) && name !== of;

/**
 * Variables that are nearly a setting which is not set, with what to do: unnoticed, they would leave
 * it at its default. `HOST` is an address to listen on in other programs; some shells set it to the
 * name of the machine.
 */
function misnamed(environment: NodeJS.ProcessEnv): [name: string, problem: string][] {
  const isSet = (name: string) => environment[name] !== undefined && environment[name] !== '';
  return Object.keys(environment).flatMap((name): [string, string][] => {
    if (!isSet(name) || VARIABLES.includes(name)) return [];
    if (name === 'HOST' && (isIP(environment[name] ?? '') > 0 || environment[name] === 'localhost'))
      return [
        [
          name,
          'there is no such setting: PORT listens on all addresses, ADMIN_HOST and INGEST_HOST belong to the other ports. Unset it',
        ],
      ];
    const meant = VARIABLES.find(
      (one) =>
        !isSet(one) &&
        (hasTwoSwapped(name, one) || (one.length >= LONG_NAME && distance(name, one) === 1)),
    );
    return meant === undefined
      ? []
      : [[name, `there is no such setting. ${meant} is meant? Rename it, or unset it`]];
  });
}

/** Names that people write for a setting, beside `AIRSERIES_` before its own. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ['DB', 'DATABASE', 'PG', 'POSTGRES', 'POSTGRESQL'].flatMap((of) => [
    `${of}_URL`,
    `${of}_URI`,
  ]),
  SITE_BASE_URL: ['SITE_URL', 'SITE_HOST'],
  SITE_TITLE: ['SITE_NAME'],
};
const OWN_PREFIX = /^AIRSERIES_/;

/**
 * Warnings for the log. One lists variables by which another setting is probably meant, unless that
 * is set itself. One lists settings in a file `.env` of `folder`, which nothing here reads.
 */
export function environmentHints(environment: NodeJS.ProcessEnv, folder = '.'): string[] {
  const hints: string[] = [];
  const unknown = Object.keys(environment).flatMap((name) => {
    if (!environment[name] || VARIABLES.includes(name)) return [];
    const own = name.replace(OWN_PREFIX, '');
    const meant = VARIABLES.find((one) => one === own || OTHER_NAMES[one]?.includes(name));
    if (meant === undefined) return own === name ? [] : [name];
    return environment[meant] ? [] : [`${name} (${meant} is meant?)`];
  });
  if (unknown.length > 0)
    hints.push(
      `the environment has unknown settings: ${unknown.join(', ')}; .env.example lists every setting`,
    );
  let written: NodeJS.Dict<string> = {};
  try {
    written = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  } catch {
    // there is none, or this user may not read it
  }
  const unread = VARIABLES.filter((name) => written[name] && written[name] !== environment[name]);
  if (unread.length > 0)
    hints.push(
      `.env sets ${unread.join(', ')}, but is not read: first run "set -a; . ./.env; set +a" in this shell`,
    );
  return hints;
}

/**
 * Throws an Error if two listeners of the role would have the same port at the same address: the
 * second would report that another process has the port.
 */
export function checkPorts({
  role,
  port: api,
  adminPort,
  adminHost,
  ingestPort,
  ingestHost,
}: Config): void {
  const listeners = [
    { name: 'ADMIN_PORT', port: adminPort, host: adminHost },
    ...(role === 'worker' ? [] : [{ name: 'PORT', port: api, host: '0.0.0.0' }]),
    ...(role === 'api' ? [] : [{ name: 'INGEST_PORT', port: ingestPort, host: ingestHost }]),
  ];
  const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
  for (const [index, one] of listeners.entries()) {
    const other = listeners
      .slice(index + 1)
      .find(
        ({ port, host }) =>
          port === one.port &&
          port !== 0 &&
          (host === one.host || [host, one.host].some(isEverywhere)),
      );
    if (other === undefined) continue;
    throw new Error(
      `${one.name} and ${other.name} are both ${one.port}. Set one of them to another port.`,
    );
  }
}
