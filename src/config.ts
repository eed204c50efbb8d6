/** All configuration, from the environment and nowhere else. Validated at once: every problem is in one message. */
import { z } from 'zod';
import { LOG_LEVELS } from './log.ts';

/** An empty variable is an unset one, as in `PORT= npm start` and in most compose files. */
const unset = (value: unknown) => (value === '' ? undefined : value);
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(unset, schema.optional());
const port = (otherwise: number) => z.preprocess(unset, z.coerce.number().int().min(0).max(65_535).default(otherwise));

const SCHEMA = z.object({
  DATABASE_URL: optional(
    z.url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host:5432/database' }),
  ),
  DATA_DIR: z.preprocess(unset, z.string().default('.airseries')),
  EMBEDDED_PG: optional(z.enum(['bundled', 'local'])),
  TIME_ZONE: optional(z.string()),
  FIXED_NOW: optional(
    z.iso.datetime({ offset: true, error: 'must be an ISO 8601 instant such as 2026-11-20T12:00:00Z' }),
  ),
  PORT: port(8080),
  ADMIN_PORT: port(8081),
  SITE_BASE_URL: optional(
    z.url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://air.example' }),
  ),
  DEMO: optional(z.enum(['on', 'off'])),
  LOG_LEVEL: z.preprocess(unset, z.enum(LOG_LEVELS).default('info')),
});

export type Config = {
  databaseUrl: string | undefined;
  dataDirectory: string;
  embedded: 'bundled' | 'local' | undefined;
  timeZone: string | undefined;
  fixedNow: Date | undefined;
  port: number;
  adminPort: number;
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
      const shown = name === 'DATABASE_URL' ? '' : `=${environment[name]}`; // it holds a password
      return `  ${name}${shown}: ${message}`;
    });
    throw new Error(`The configuration (environment) is not usable:\n${problems.join('\n')}`);
  }
  const given = parsed.data;
  return {
    databaseUrl: given.DATABASE_URL,
    dataDirectory: given.DATA_DIR,
    embedded: given.EMBEDDED_PG,
    timeZone: given.TIME_ZONE,
    fixedNow: given.FIXED_NOW === undefined ? undefined : new Date(given.FIXED_NOW),
    port: given.PORT,
    adminPort: given.ADMIN_PORT,
    siteBaseUrl: (given.SITE_BASE_URL ?? '').replace(/\/+$/, ''),
    demo: given.DEMO,
    logLevel: given.LOG_LEVEL,
  };
}
