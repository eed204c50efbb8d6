/**
 * Commands for the tokens that authorize pushing readings. A token is shown only once, when it is
 * created.
 */
import { Command, InvalidArgumentError } from 'commander';
import { createToken, listTokens, revokeToken } from '../ingest/http/tokens.ts';
import { type Context, LARGEST_ID, type Outcome, type Run, wholeNumber } from './context.ts';

type AddOptions = { provider: string; stations?: number[] };

/** `token add`, `token list` and `token revoke`. */
export function tokenCommand(run: Run): Command {
  return new Command('token')
    .description('manage the tokens that let devices and feeds push readings')
    .addCommand(
      new Command('add')
        .description('create a token and print it; it cannot be shown again')
        .argument('<name>', 'a name that was never used before', parseName)
        .requiredOption('--provider <id>', 'the provider that it may push readings for')
        .option(
          '--stations <ids>',
          'only these stations of the provider, such as 1,2',
          parseStations,
        )
        .action((name: string, options: AddOptions) =>
          run((context) => addToken(context, name, options)),
        ),
    )
    .addCommand(
      new Command('list')
        .description('list tokens with their scope and last use')
        .action(() =>
          run(async ({ as }) => ({ result: await as('airseries_owner', listTokens), ok: true })),
        ),
    )
    .addCommand(
      new Command('revoke')
        .description('revoke a token; it is refused from the next request on')
        .argument('<name>', 'the name of the token')
        .action((name: string) =>
          run(async ({ as, clock }) => {
            await as('airseries_owner', (sql) => revokeToken(sql, name, clock()));
            return { result: { revoked: name }, ok: true };
          }),
        ),
    );
}

async function addToken(
  { as, clock, log }: Context,
  name: string,
  options: AddOptions,
): Promise<Outcome> {
  const wanted = {
    name,
    provider: options.provider,
    stations: options.stations ?? null,
    now: clock(),
  };
  const result = await as('airseries_owner', (sql) => createToken(sql, wanted));
  log.info('keep the token: only its hash is stored, so it cannot be shown again');
  log.info('with its first token, a running service opens its ingestion port within two seconds');
  return { result, ok: true };
}

function parseName(text: string): string {
  if (/^\S(?:.{0,98}\S)?$/u.test(text)) return text;
  throw new InvalidArgumentError('It must be one line of up to 100 characters.');
}

function parseStations(text: string): number[] {
  if (/^\d+(,\d+)*$/.test(text)) return text.split(',').map(wholeNumber(LARGEST_ID));
  throw new InvalidArgumentError('It must be a list of numbers such as 1,2.');
}
