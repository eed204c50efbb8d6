/** Commands about who may send readings: a token is shown once, when it is made. */
import { createToken, listTokens, revokeToken } from '../push/tokens.ts';
import { type Context, type Outcome, UsageError } from './context.ts';

export type TokenOptions = { provider?: string | undefined; stations?: string | undefined };

const NAME = /^\S(?:.{0,98}\S)?$/u;
const STATIONS = /^[1-9]\d{0,8}(,[1-9]\d{0,8})*$/;

export async function tokenAddCommand(
  { as, clock, log }: Context,
  name: string,
  options: TokenOptions,
): Promise<Outcome> {
  const { provider, stations } = options;
  if (provider === undefined) throw new UsageError('token add needs --provider');
  if (!NAME.test(name)) throw new UsageError('the name of a token is one line of up to 100 characters');
  if (stations !== undefined && !STATIONS.test(stations)) {
    throw new UsageError(`--stations ${stations}: not a list of numbers such as 1,2`);
  }
  const wanted = { name, provider, stations: stations?.split(',').map(Number) ?? null, now: clock() };
  const result = await as('airseries_owner', (sql) => createToken(sql, wanted));
  log.info('store the token now: only its hash is kept, so it cannot be shown again');
  return { result, ok: true };
}

export async function tokenListCommand({ as }: Context): Promise<Outcome> {
  return { result: await as('airseries_owner', listTokens), ok: true };
}

export async function tokenRevokeCommand({ as, clock }: Context, name: string): Promise<Outcome> {
  await as('airseries_owner', (sql) => revokeToken(sql, name, clock()));
  return { result: { revoked: name }, ok: true };
}
