/**
 * Failures of the database in words, with what to do: for the log and the operator.
 */
import { Unavailable } from '../base/unavailable.ts';
import { errorCode, failureOf } from './errors.ts';

/** The error as Unavailable, with its remedy, if retrying later may help, otherwise unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  const { kind } = failureOf(error);
  if (kind === 'row' || kind === 'bug') return error;
  const { remedy } = remedyFor(error);
  const message = `${errorCode(error)}: ${(error as Error).message}`;
  return new Unavailable(remedy === undefined ? message : `${message}. ${remedy}`, {
    cause: error,
  });
}

/** Failures by code and message, what they mean, and what to do; the first that matches counts. */
type Problems = readonly [pattern: RegExp, what: string, remedy: string][];

/** Explains errors of connections to an address. */
const CONNECTION_PROBLEMS: Problems = [
  [/^ECONNREFUSED/, 'nothing listens there', 'Is the server running, and are host and port right?'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'its host is unknown', 'Is the name right?'],
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
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

/** Explains a server that was reached, and then stopped answering. */
const SILENCE: Problems = [
  [
    /^UNREACHABLE/,
    'it no longer answers',
    'Is it running, and its machine not overloaded? Run it again once it answers: nothing is lost.',
  ],
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
  const problem = problemOf(error, [...SILENCE, ...problems]);
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
