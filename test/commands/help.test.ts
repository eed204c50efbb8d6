/** The help of every command, and the command that a command line chooses. */
import { describe, expect, it } from 'vitest';
import { choose, wordsOf } from '../support/command.ts';
import { isComplete } from '../support/complete.ts';

const helpOf = (line: string) => {
  const choice = choose(wordsOf(line));
  if (!('text' in choice)) throw new Error(`${line} shows no help`);
  return choice.text;
};
const commandsIn = (help: string) =>
  [...(help.split('\nCommands:\n')[1]?.matchAll(/^ {2}([a-z-]+)/gm) ?? [])].map(
    ([, name = '']) => name,
  );
const allBelow = (group: string): string[] =>
  commandsIn(helpOf(`${group} --help`.trim())).flatMap((name) => {
    const command = `${group} ${name}`.trim();
    return [command, ...allBelow(command)];
  });

describe('help', () => {
  it('every command has a help that describes it', () => {
    const names = allBelow('');
    expect(names).toEqual(
      expect.arrayContaining(['migrate', 'import readings', 'quarantine drop', 'delete readings']),
    );
    for (const name of names) {
      expect(helpOf(`${name} --help`)).toMatch(
        new RegExp(`^Usage: airseries ${name} .*\\n\\n\\S+ \\S+`),
      );
    }
  });

  it.each([80, 40])('the help of every command fits a terminal of %i columns', (columns) => {
    const before = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
    Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true });
    try {
      for (const name of ['', ...allBelow('')])
        for (const line of helpOf(`${name} --help`.trim()).split('\n')) {
          // a word that is longer stays whole
          if (line.trim().includes(' ')) expect(line.length, line).toBeLessThanOrEqual(columns);
          expect(line).toBe(line.trimEnd());
        }
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.stdout, 'columns');
      else Object.defineProperty(process.stdout, 'columns', before);
    }
  });

  it('the help of a command lists its options', () => {
    expect(helpOf('token add --help')).toContain('--provider <id>');
  });
});

it('start --version prints the version of the program', () => {
  expect(helpOf('start --version')).toBe(helpOf('--version'));
});

it.each([
  'delete readings --sensor 2147483647 --from 2026-01-01 --to 2026-01-02',
  'token add me --provider p --stations 1,2147483647',
  ...(isComplete ? ['import readings x --sensor 2147483647'] : []),
])('a command takes the largest id that a network file may have: %s', (line) => {
  expect(choose(wordsOf(line))).toHaveProperty('run');
});

it.each([
  'audit',
  'status',
  'token list',
  'network export',
  'import network network.json --dry-run',
])('the command makes no database: %s', (line) => {
  expect(choose(wordsOf(line))).toMatchObject({ makesDatabase: false });
});
