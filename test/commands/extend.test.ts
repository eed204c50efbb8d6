/** Extensions of the command line: a command that one names must be there, and waits for it. */

import { expect, it } from 'vitest';
import type { Context } from '../../src/commands/context.ts';
import { type Additions, chooseCommand } from '../../src/commands/program.ts';
import { canonical } from '../../src/ingest/canonical.ts';

const choose = (words: string[], extend: Additions['extend']) =>
  chooseCommand(words, {
    extend,
    formats: canonical,
    providerKeys: {},
    sources: undefined,
    providerFacts: [],
    remarks: () => [],
    configuration: [],
  });

it('an extension that names a missing command is an error', () => {
  expect(() => choose(['status'], ({ command }) => void command('import', 'nothing'))).toThrow(
    'there is no command import nothing',
  );
});

it('a precaution of an extension is taken before its own command only', async () => {
  const taken = (words: string[]) => {
    const choice = choose(words, ({ command, before }) =>
      before(command('network', 'remove'), {
        beforeWork: async () => {
          throw new Error('not now');
        },
      }),
    );
    if (!('run' in choice)) throw new Error('no command that runs');
    return choice.run({} as Context).then(
      () => 'done',
      (error: Error) => error.message,
    );
  };
  expect(await taken(['network', 'remove', 'station', '1'])).toBe('not now');
  expect(await taken(['network', 'export'])).not.toBe('not now');
});
