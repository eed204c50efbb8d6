/**
 * Which failures mean that the database is unreachable, too busy or of another version, so that
 * retrying may help (all others are bugs), and waiting for it at start.
 */
import type { Log } from '../base/log.ts';
import { Unavailable } from '../base/unavailable.ts';

/**
 * SQLSTATEs, codes of the driver and of the operating system, and our own: a statement
 * (RESPONSE_TIMEOUT) or a probe (UNREACHABLE) went unanswered. 58P01: a file of the database is
 * gone.
 */
const CONNECTION_ERROR =
  /^(08...|25006|28...|3D000|40001|53...|55000|57P..|58P01|CONNECTION_\w+|CONNECT_TIMEOUT|E(CONN|HOST|NET)\w+|EPIPE|ENOENT|EACCES|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|RESPONSE_TIMEOUT|UNREACHABLE)$/;

/** Those after which a new connection may well succeed at once. */
const TRANSIENT =
  /^(40001|40P01|57P0.|CONNECTION_(CLOSED|DESTROYED)|ECONN\w+|EPIPE|ENOENT|RESPONSE_TIMEOUT)$/;

/**
 * A statement names what schemas api or logic no longer hold, or was prepared before they were
 * rebuilt: by a migration to another version of this program. The server words its internal errors
 * in English, whatever its language.
 */
export const isSchemaChange = (error: unknown): boolean =>
  /^(0A000|26000|3F000|42703|42704|42883|42P01)$/.test(errorCode(error)) ||
  (errorCode(error) === 'XX000' &&
    /^(cache lookup failed|could not open relation)/.test((error as Error).message));

/**
 * A connection from before or during a restore may act on settings that have changed since: a new
 * one may well succeed.
 */
export const isOutdatedSession = (error: unknown): boolean => errorCode(error) === 'AS503';

/**
 * The statement lost a deadlock, or a migration has just replaced what it names: sent again at
 * once, it may well succeed.
 */
export const isRepeatable = (error: unknown): boolean =>
  /^40(001|P01)$/.test(errorCode(error)) || isSchemaChange(error);

/**
 * A row has a value that its column cannot hold, or violates a constraint, such as a key that is
 * stored already.
 */
export const isRefusedRow = (error: unknown): boolean => /^2[23]...$/.test(errorCode(error));

/** The server canceled the statement at its timeout, so it is reachable but too slow. */
const STATEMENT_TIMEOUT = /^57014$/;

/** The connection failed, or the server refused or ended it. */
export const isConnectionError = (error: unknown): boolean =>
  CONNECTION_ERROR.test(errorCode(error)) || endedItsSession(error);
/** The whole server stopped responding, so waiting for a connection is pointless. */
export const isUnreachable = (error: unknown): boolean =>
  /^(UNREACHABLE|CONNECT_TIMEOUT)$/.test(errorCode(error));
/** A retry on a new connection is worthwhile. */
export const isTransient = (error: unknown): boolean =>
  TRANSIENT.test(errorCode(error)) || isSchemaChange(error);

/**
 * Rights of our roles were revoked, or TimescaleDB cannot store readings (logic.store_readings):
 * until that is undone.
 */
const TAKEN_AWAY = /^(42501|AS503)$/;

/** The error as Unavailable, with its remedy, if retrying later may help, otherwise unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  const code = errorCode(error);
  const mayPass =
    isConnectionError(error) ||
    isTransient(error) ||
    STATEMENT_TIMEOUT.test(code) ||
    TAKEN_AWAY.test(code);
  if (!mayPass) return error;
  const { remedy } = remedyFor(error);
  const message = `${code}: ${(error as Error).message}`;
  return new Unavailable(remedy === undefined ? message : `${message}. ${remedy}`, {
    cause: error,
  });
}

/**
 * Whatever its code: a server with a full disk, for one, ends a session with the code of an
 * internal error.
 */
function endedItsSession(error: unknown): boolean {
  const { severity } = Object(error) as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * The SQLSTATE, or the code that the driver or the operating system gave the error (such as
 * ENOENT); empty without one.
 */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Failures by code and message, what they mean, and what to do; the first that matches counts. */
type Problems = readonly [pattern: RegExp, what: string, remedy: string][];

/** Explains errors of connections to an address. */
const CONNECTION_PROBLEMS: Problems = [
  [/^ECONNREFUSED/, 'nothing listens there', 'Is the server running, and are host and port right?'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'its host is unknown', 'Is the name right?'],
  [
    /^(CONNECT_TIMEOUT|UNREACHABLE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
    'it does not answer',
    'Is it PostgreSQL, and running? Are host and port right, and is no firewall in between?',
  ],
  [
    /^ECONNRESET .*TLS/,
    'the server has no TLS',
    'Turn ssl on there, or leave sslmode out of the URL.',
  ],
  [
    /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS_CERT)/,
    'its certificate cannot be verified',
    'Name the file of its authority in NODE_EXTRA_CA_CERTS; sslmode=require encrypts without verifying.',
  ],
  [
    /^(28P01|SASL)/,
    'user or password is wrong',
    'In the URL, write characters other than letters and digits as %XX.',
  ],
  [
    /^28000/,
    'the server does not let this user in',
    'Correct the user, or pg_hba.conf on the server.',
  ],
  [/^3D000/, 'there is no such database', 'Correct its name, or make it: createdb.'],
  [/^53300/, 'the server has no connection left', 'End other clients, or raise max_connections.'],
  [
    /^08P01 unsupported startup parameter/,
    'a connection pooler is in between',
    'READER_DATABASE_URL can go through one: add ?pooler=transaction. DATABASE_URL cannot: the worker holds locks of its session.',
  ],
  [/^CONNECTION_/, 'the server hung up', 'Is it PostgreSQL that listens there?'],
];

/** Explains errors of a database that was reached, and is not as the migrations made it. */
const DATABASE_PROBLEMS: Problems = [
  [
    /^AS503 .*restoring/,
    'TimescaleDB is still in the state of a restore',
    'Nothing can be stored. Once pg_restore has ended, run in this database: select timescaledb_post_restore();',
  ],
  [
    /^(AS503|(3F000|42883|42P01) .*timescaledb_)/,
    'the extension timescaledb was dropped',
    'The extension timescaledb was dropped, and with it every reading and aggregate. Creating it again brings nothing back: stop the service, and ' +
      'restore a backup as src/database/README.md says.',
  ],
  [
    /^(3F000|42703|42704|42883|42P01) /,
    'a part of the database is missing',
    'Was it dropped, or not restored with the rest? Started again, the service makes schemas logic and api again; anything else ' +
      'only a backup brings back.',
  ],
  [
    /^(42710|42723|42P06|42P07) /,
    'it is not empty, and the record of its migrations is missing',
    'Restore it from a backup, or name an empty database.',
  ],
  [
    /^42501 /,
    'a right is missing',
    'Was it revoked? sql/service.sql and sql/reader.sql give the logins their roles again. Or was a dump restored before sql/roles.sql was run, or ' +
      'with --no-owner or --no-privileges? Restore it as src/database/README.md says.',
  ],
  [
    /^58P01 .*timescaledb/,
    'the server lacks the version of TimescaleDB that this database was made with',
    'Install that version of TimescaleDB too, and start the server again; or restore a backup on a server that has it.',
  ],
  [
    /^(58P01|XX001|XX002) /,
    'a file of the database is missing or damaged',
    'Stop the server, keep a copy of its folder, and restore a backup.',
  ],
  [
    /^28/,
    'the server refuses the login',
    'Was its password changed, or pg_hba.conf? Set it back, or start the service with the new password.',
  ],
  [/^53100 /, 'the disk of the server is full', 'Make room there: what is stored is not lost.'],
];

/**
 * Says for the log of a running process what to do about a database that is not as the migrations
 * made it; empty for any other error.
 */
export function remedyFor(error: unknown): { remedy?: string } {
  const problem = problemOf(error, DATABASE_PROBLEMS);
  return problem === undefined ? {} : { remedy: problem[2] };
}

function problemOf(error: unknown, problems: Problems) {
  const { message } = Object(error) as { message?: unknown };
  return problems.find(([pattern]) => pattern.test(`${errorCode(error)} ${message}`));
}

/**
 * The error of a connection to the address that a variable of the environment names (no URL: the
 * embedded server), or of what was found there, in words: which variable, what is wrong, and what
 * to do. It keeps its code. Any other error is returned unchanged.
 */
export function explainConnection(error: unknown, variable: string, address: unknown): unknown {
  const url = typeof address === 'string' ? address : undefined;
  const problems =
    url === undefined ? DATABASE_PROBLEMS : [...CONNECTION_PROBLEMS, ...DATABASE_PROBLEMS];
  const problem = problemOf(error, problems);
  if (problem === undefined) return error;
  const [, what, remedy] = problem;
  const where = url === undefined ? 'The embedded database' : `${variable}${shownUrl(url)}`;
  const explained = new Error(`${where}: ${what} (${(error as Error).message}). ${remedy}`, {
    cause: error,
  });
  return Object.assign(explained, { code: errorCode(error) });
}

/**
 * Explains an error that nothing could catch, before the process ends. postgres.js 3.4.9 throws one
 * where a connection is lost while a transaction or a COPY is about to write to it (its issues 1154
 * and 1208): the promise of what was under way is never settled then.
 */
export function describeUncaughtError(error: Error): string {
  return isDriverError(error)
    ? `the connection to the database was lost within a transaction, which is rolled back (${error.message})`
    : error.message;
}

/** The driver threw it where nothing could catch it. */
export const isDriverError = ({ stack = '' }: Error): boolean =>
  /\/node_modules\/postgres\//.test(stack);

/** ` (postgres://me@here:5432/air)`, without what may be a password. */
function shownUrl(text: string): string {
  if (!URL.canParse(text)) return '';
  const { protocol, username, host, pathname } = new URL(text);
  return ` (${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname})`;
}

const RETRY_FOR_MS = 60_000;
const RETRY_EVERY_MS = 1_000;
const LOG_EVERY_NTH = 10;

/**
 * Repeats `work` until it reaches the database, for a minute; then rejects with a remedy. What
 * waiting cannot fix (a wrong password, a missing database, a bug) is thrown at once.
 */
export async function waitForDatabase<T>(work: () => Promise<T>, log: Log): Promise<T> {
  const deadline = performance.now() + RETRY_FOR_MS;
  for (let n = 0; ; n++) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof Unavailable || isConnectionError(error);
      if (!mayPass || /^(28|3D|08P01|58P01)/.test(errorCode(error))) throw error;
      const reason = (error as Error).message || errorCode(error);
      const left = Math.ceil((deadline - performance.now()) / 1_000);
      if (left <= 0) {
        // it may have one already
        const remedy = /[.?]$/.test(reason) ? '' : '. Is it running, and is DATABASE_URL right?';
        throw new Error(`No database for ${RETRY_FOR_MS / 1_000} seconds: ${reason}${remedy}`, {
          cause: error,
        });
      }
      if (n % LOG_EVERY_NTH === 0) {
        log.warn({ reason, seconds_left: left }, 'the database is not reachable yet; waiting');
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
  }
}
