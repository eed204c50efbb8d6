/** All configuration, from the environment and nowhere else. Validated at once: every problem is in one message. */
import { z } from 'zod';
import { LOG_LEVELS } from './log.ts';

/** An empty variable is an unset one, as in `PORT= npm start` and in most compose files. */
const unset = (value: unknown) => (value === '' ? undefined : value);
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(unset, schema.optional());
const port = (otherwise: number) => z.preprocess(unset, z.coerce.number().int().min(0).max(65_535).default(otherwise));

/** Below this, months that are still being computed and readings that arrive late would lose theirs. */
const SHORTEST_RETENTION_DAYS = 35;
const DAYS = { day: 1, month: 30, year: 365 } as const;

const retention = z
  .string()
  .regex(/^\d+ (day|month|year)s?$/, 'must be a duration such as "400 days", "24 months" or "2 years"')
  .refine((text) => {
    const [n, unit = ''] = text.split(' ');
    return Number(n) * (DAYS[unit.replace(/s$/, '') as keyof typeof DAYS] ?? 0) >= SHORTEST_RETENTION_DAYS;
  }, `must be at least ${SHORTEST_RETENTION_DAYS} days: the running month is computed from its readings, and late ones must still find theirs`);

const database = optional(
  z.url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host:5432/database' }),
);

const SCHEMA = z.object({
  DATABASE_URL: database,
  READER_DATABASE_URL: database,
  DATA_DIR: z.preprocess(unset, z.string().default('.airseries')),
  EMBEDDED_PG: optional(z.enum(['bundled', 'local'])),
  TIME_ZONE: optional(z.string()),
  EPOCH: optional(
    z.iso
      .date('must be the first of a month, such as 2011-01-01')
      .endsWith('-01', 'must be the first of a month, such as 2011-01-01'),
  ),
  FIXED_NOW: optional(
    z.iso.datetime({ offset: true, error: 'must be an ISO 8601 instant such as 2026-11-20T12:00:00Z' }),
  ),
  PORT: port(8080),
  ADMIN_PORT: port(8081),
  ADMIN_HOST: z.preprocess(unset, z.string().default('127.0.0.1')),
  DRAIN_SECONDS: optional(z.coerce.number().int().min(0).max(300)),
  ROLE: z.preprocess(unset, z.enum(['all', 'api', 'worker']).default('all')),
  INGEST_PORT: port(8082),
  INGEST_HOST: z.preprocess(unset, z.string().default('127.0.0.1')),
  INGEST_RATE: z.preprocess(unset, z.coerce.number().int().min(1).default(600)),
  PULL_HOSTS: z.preprocess(unset, z.string().default('')),
  RAW_RETENTION: optional(retention),
  SITE_BASE_URL: optional(
    z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://air.example' }),
  ),
  DEMO: optional(z.enum(['on', 'off'])),
  LOG_LEVEL: z.preprocess(unset, z.enum(LOG_LEVELS).default('info')),
});

/** The names of all that is read; what deploys the service is checked against them. */
export const VARIABLES: readonly string[] = Object.keys(SCHEMA.shape);

export type Config = {
  databaseUrl: string | undefined;
  /** Where the API reads, as a login that may do no more, or from a replica; undefined: as the others. */
  readerDatabaseUrl: string | undefined;
  dataDirectory: string;
  embedded: 'bundled' | 'local' | undefined;
  timeZone: string | undefined;
  /** The local date on which a new database begins; undefined: as recorded, or 2000-01-01. */
  epoch: string | undefined;
  fixedNow: Date | undefined;
  port: number;
  adminPort: number;
  adminHost: string;
  /** How long requests are served after the signal to stop, so that a load balancer has time to send them elsewhere. */
  drainSeconds: number;
  /** What this process does: answer the API, or work (ingest, aggregates, digests), or both. */
  role: 'all' | 'api' | 'worker';
  ingestPort: number;
  ingestHost: string;
  /** Requests a minute that one token may send. */
  ingestRate: number;
  /** Hosts (with their port where it is not the usual one) that readings may be pulled from. */
  pullHosts: readonly string[];
  /** An interval of PostgreSQL; undefined: readings are kept for ever. */
  rawRetention: string | undefined;
  /** Without a trailing slash; empty when links to the site are not wanted (C7). */
  siteBaseUrl: string;
  demo: 'on' | 'off' | undefined;
  logLevel: (typeof LOG_LEVELS)[number];
};

export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = SCHEMA.safeParse(environment);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      const shown = name.endsWith('DATABASE_URL') ? '' : `=${environment[name]}`; // it holds a password
      return `  ${name}${shown}: ${message}`;
    });
    throw new Error(`The configuration (environment) is not usable:\n${problems.join('\n')}`);
  }
  const given = parsed.data;
  if (given.READER_DATABASE_URL !== undefined && given.DATABASE_URL === undefined && given.ROLE !== 'api') {
    throw new Error('READER_DATABASE_URL alone is enough for ROLE=api; whatever else writes needs DATABASE_URL too.');
  }
  return {
    databaseUrl: given.DATABASE_URL,
    readerDatabaseUrl: given.READER_DATABASE_URL,
    dataDirectory: given.DATA_DIR,
    embedded: given.EMBEDDED_PG,
    timeZone: given.TIME_ZONE,
    epoch: given.EPOCH,
    fixedNow: given.FIXED_NOW === undefined ? undefined : new Date(given.FIXED_NOW),
    port: given.PORT,
    adminPort: given.ADMIN_PORT,
    adminHost: given.ADMIN_HOST,
    drainSeconds: given.DRAIN_SECONDS ?? ((given.DATABASE_URL ?? given.READER_DATABASE_URL) === undefined ? 0 : 5),
    role: given.ROLE,
    ingestPort: given.INGEST_PORT,
    ingestHost: given.INGEST_HOST,
    ingestRate: given.INGEST_RATE,
    pullHosts: given.PULL_HOSTS.split(/[\s,]+/).filter((host) => host !== ''),
    rawRetention: given.RAW_RETENTION,
    siteBaseUrl: (given.SITE_BASE_URL ?? '').replace(/\/+$/, ''),
    demo: given.DEMO,
    logLevel: given.LOG_LEVEL,
  };
}
