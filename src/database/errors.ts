/**
 * The kinds of failures of the database: one table, by SQLSTATE, or by the code that the driver, the
 * operating system or this program gave a failure. The consequences of each kind:
 *
 * | kind    | it means                                        | its pool     | a start | a request            |
 * | ------- | ----------------------------------------------- | ------------ | ------- | -------------------- |
 * | silent  | the whole server has stopped answering          | is replaced  | waits   | 503, and all waiting |
 * | lost    | the connection failed, or the server ended it   | is replaced  | waits   | 503                  |
 * | busy    | the server answers, and cannot do this now      | stays        | waits   | 503                  |
 * | refused | a login, a file or the extension is missing     | is, if older | fails   | 503                  |
 * | slow    | the server canceled the statement at its limit  | stays        | fails   | 503                  |
 * | schema  | a migration replaced what the statement names   | is, if older | fails   | 503                  |
 * | denied  | a right is missing: no new connection has it    | stays        | fails   | 503                  |
 * | row     | a row does not fit its columns or a key         | stays        | fails   | a bug, but for COPY  |
 * | bug     | anything else                                   | stays        | fails   | 500                  |
 *
 * If the server ended the session (FATAL), its pool is replaced whatever the kind, and the kinds from
 * `slow` on are `lost`: one that lets nobody in says so with any code, such as 22023 for a role.
 */

export type FailureKind =
  | 'silent'
  | 'lost'
  | 'busy'
  | 'refused'
  | 'slow'
  | 'schema'
  | 'denied'
  | 'row'
  | 'bug';

/** `again`: sent again at once, the statement may well succeed. */
type Failure = { kind: FailureKind; again: boolean };

/**
 * Two characters are a class of SQLSTATEs; a code in full comes before its class. Less known:
 * 40001, 40P01: it conflicted with another statement, or with a replica's recovery.
 * 0A000, 26000: it was prepared before schemas api and logic were rebuilt.
 * 55000: the database accepts no connections. 58P01: a file of the database is gone.
 * RESPONSE_TIMEOUT, UNREACHABLE: a statement or a probe went unanswered.
 * AS503: TimescaleDB cannot store readings (logic.store_readings). A connection from before or
 * during a restore may act on settings that have changed since: a new one may well succeed.
 */
const TABLE: readonly [FailureKind, 'again' | 'not again', codes: string][] = [
  ['silent', 'not again', 'UNREACHABLE CONNECT_TIMEOUT'],
  ['lost', 'again', '57P01 57P02 57P03 57P04 57P05 RESPONSE_TIMEOUT'],
  ['lost', 'again', 'CONNECTION_CLOSED CONNECTION_DESTROYED EPIPE ENOENT'],
  ['lost', 'again', 'ECONNREFUSED ECONNRESET ECONNABORTED'],
  ['lost', 'not again', '08 25006 55000 CONNECTION_ENDED EACCES ETIMEDOUT'],
  ['lost', 'not again', 'EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'],
  ['busy', 'again', '40001 40P01'],
  ['busy', 'not again', '53'],
  ['refused', 'not again', '08P01 28 3D000 58P01 AS503'],
  ['slow', 'not again', '57014'],
  ['schema', 'again', '0A000 26000 3F000 42703 42704 42883 42P01'],
  ['denied', 'not again', '42501'],
  ['row', 'not again', '22 23'],
];

const FAILURES: ReadonlyMap<string, Failure> = new Map(
  TABLE.flatMap(([kind, again, codes]) =>
    codes.split(' ').map((code) => [code, { kind, again: again === 'again' }] as const),
  ),
);

const BUG: Failure = { kind: 'bug', again: false };

/** Faults of a statement, unless the server ended the session. */
const OF_STATEMENTS: ReadonlySet<FailureKind> = new Set(['slow', 'schema', 'denied', 'row', 'bug']);

export function failureOf(error: unknown): Failure {
  const failure = failureByCode(error);
  const isLost = endedItsSession(error) && OF_STATEMENTS.has(failure.kind);
  return isLost ? { ...failure, kind: 'lost' } : failure;
}

function failureByCode(error: unknown): Failure {
  const code = errorCode(error);
  const isSqlState = code.length === 5;
  const failure = FAILURES.get(code) ?? (isSqlState ? FAILURES.get(code.slice(0, 2)) : undefined);
  if (failure !== undefined) return failure;
  return isInternalSchemaError(error) ? { kind: 'schema', again: true } : BUG;
}

/**
 * A statement still used what was just replaced. The server words its internal errors in English,
 * whatever its language.
 */
const isInternalSchemaError = (error: unknown): boolean =>
  errorCode(error) === 'XX000' &&
  /^(cache lookup failed|could not open relation)/.test((error as Error).message);

/**
 * The connection is over, whatever the code: a server with a full disk, for one, ends a session
 * with the code of an internal error.
 */
export function endedItsSession(error: unknown): boolean {
  const { severity } = Object(error) as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * The statement lost a deadlock, or a migration has just replaced what it names: sent again at once
 * on the same connection, it may well succeed.
 */
export function isRepeatable(error: unknown): boolean {
  const { kind, again } = failureOf(error);
  return again && kind !== 'lost';
}

/**
 * The SQLSTATE, or the code that the driver or the operating system gave the error (such as
 * ENOENT); empty without one.
 */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
