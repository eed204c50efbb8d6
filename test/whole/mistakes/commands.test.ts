/** Command lines that are refused, and what is said of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/commands/context.ts';
import { readConfig } from '../../../src/config.ts';
import { choose, commandsOn, wordsOf } from '../../support/command.ts';
import { isComplete } from '../../support/complete.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { errorOf, expectSaid, type Mistake } from './mistake.ts';

/** The exit codes: of bad usage, as most rows are, and of anything else. */
const USAGE = 2;
const FAILURE = 1;
const codeOf = (error: Error) => (error instanceof UsageError ? USAGE : FAILURE);

/** Options of the extra senders. */
const OF_SENDERS: Mistake<string>[] = [
  [
    'an unknown format',
    'import readings x --format xml',
    'choices are airgradient, airnow, airquality-am',
  ],
  ['--zone CET', 'import readings x.csv --zone CET', '--zone: "CET" is an abbreviation'],
];

describe('before a database is opened', () => {
  const COMMANDS: Mistake<string>[] = [
    // the command
    ['no command', '', 'no command given'],
    ['an unknown command', 'fly', 'unknown command fly'],
    ['two swapped letters of help', 'hlep', 'unknown command hlep (Did you mean help?). See'],
    [
      'a command before its group',
      'readings delete',
      /^unknown command readings\. See node src\/airseries\.js delete readings --help\n$/,
    ],

    ['an import without a file', 'import readings', "missing required argument 'files'"],
    [
      'a removal of a reading',
      'network remove reading 1',
      'Allowed choices are station, sensor, region, provider',
    ],
    ['an argument of start', 'start now', 'unexpected argument: now'],
    [
      'a network that is not there',
      'import network nothing.json',
      /^nothing\.json: there is no such file\. Check its name and permissions\.\n$/,
      FAILURE,
    ],

    // its options
    [
      'an unknown option of start',
      'start --port 80',
      /^unknown option --port\. See node src\/airseries\.js start --help\n$/,
    ],
    ['two swapped letters of an option', 'audit --form 2026-01-01', 'Did you mean --from?'],
    [
      'two forms of a result',
      'status --table --json',
      "option '--table' cannot be used with option '--json'",
    ],
    [
      'a deletion without a period',
      'delete readings --sensor 1',
      "required option '--from <time>' not specified",
    ],
    ['a deletion of all of the quarantine', 'quarantine drop', 'or --all'],
    ['a repair of less than an audit', 'audit --delete-surplus', '--delete-surplus needs --repair'],
    [
      'a removal of readings with a region',
      'network remove region town --with-readings',
      'a region has no readings of its own',
    ],
    ['a deletion of nothing old', 'retention --apply', 'needs RAW_RETENTION'],
    [
      'two intentions',
      'retention --apply --cutoff 2026-01-01',
      "cannot be used with option '--apply'",
    ],

    // the values of its options
    [
      'a sensor that is a word',
      'delete readings --sensor one --from 2026-01-01 --to 2026-01-02',
      'a whole number',
    ],
    [
      'a sensor beyond the largest',
      'delete readings --sensor 2147483648 --from 2026-01-01 --to 2026-01-02',
      'a whole number from 1 to 2147483647',
    ],
    [
      'a station below the smallest',
      'token add me --provider p --stations 0',
      'a whole number from 1 to 2147483647',
    ],
    ['a limit that is a word', 'quarantine list --limit many', 'a whole number'],
    ...(isComplete ? OF_SENDERS : []),
    ['a name of two lines', 'token add a\nb --provider p', 'one line of up to 100 characters'],
    ['a time that is a word', 'refresh --from yesterday', 'not an instant'],
    [
      'a period that ends before it begins',
      'refresh --from 2026-02-01 --to 2026-01-01',
      '--from must be before --to',
    ],

    // an import without its kind; the message ends with the command that is meant
    ...(
      [
        ['import week.csv', 'import readings week.csv'],
        ['readings week.csv.gz', 'import readings week.csv.gz'],
        ['readings', 'import readings FILE'],
        ['week.ndjson', 'import readings week.ndjson'],
        ['network ours.json', 'import network ours.json'],
        ['readings import', 'import readings FILE'],
        ['readings import week.csv', 'import readings week.csv'],
        ['network import', 'import network FILE'],
        [
          'import ours.json',
          'import network ours.json, or node src/airseries.js import readings ours.json',
        ],
        ["import it's.csv", "import readings 'it'\\''s.csv'"],
      ] as const
    ).map(
      ([typed, meant]): Mistake<string> => [
        `"${typed}"`,
        typed,
        [/^unknown command /, `. To import it: node src/airseries.js ${meant}\n`],
      ],
    ),
  ];

  it.each(COMMANDS)(
    'the command line says what is wrong with %s',
    async (_, line, said, code = USAGE) => {
      const refused = await errorOf(() => {
        const choice = choose(wordsOf(line));
        if ('check' in choice) choice.check(readConfig({}));
      });
      expectSaid(`${refused.message}\n`, said);
      expect(codeOf(refused)).toBe(code);
      if (!line.includes('\n')) expect(refused.message).not.toContain('\n');
      if (!(refused instanceof UsageError)) return;
      // it says where to read on, or shows the help itself
      if (said === 'no command given') expect(refused.help).toMatch(/^Usage: airseries /);
      else {
        expect(refused.help).toBe('');
        expect(refused.message).toMatch(
          /[.?)] (See node src\/airseries\.js( [a-z]+)* --help|To import it: .*)$/,
        );
      }
    },
  );
});

/** Commands and options of extras. */
const OVER_A_NETWORK: Mistake<string>[] = [
  [
    'a zone that the server does not know',
    'import readings x.csv --zone Mars/Olympus',
    /^--zone: there is no time zone "Mars\/Olympus"\. Write its IANA name, [^\n]* --help$/,
    USAGE,
  ],
  ['a demo beside a network', 'demo', 'needs an empty database', FAILURE],
];

describe('over a database', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase(engines[0] ?? 'plain');
    await bringIn(db.as(), smallNetwork());
    await db.as()`insert into raw.readings (sensor_id, measured_at, pm25) values (1, '2026-11-19', 5)`;
    return () => db.drop();
  });

  it.each<Mistake<string>>([
    [
      'an unknown reason',
      'quarantine list --reason foo',
      /^--reason: there is no reason foo\. The reasons are unr/,
      USAGE,
    ],
    ['a screening of the future', 'screen --from 2027-01-01', '--from must not be in the future'],
    ['an audit of the future', 'audit --from 2027-01-01T00:00', '--from must not be in the future'],
    [
      'a deletion of an unknown sensor',
      'delete readings --sensor 99 --from 2026-01-01 --to 2026-01-02',
      'sensor 99: the network has no such sensor. network export lists',
      FAILURE,
    ],
    [
      'a removal of a sensor with readings',
      'network remove sensor 1',
      'it has 1 readings. Add --with-readings',
      FAILURE,
    ],
    ...(isComplete ? OVER_A_NETWORK : []),
  ])('the command says what is wrong with %s', async (_, line, said, code = USAGE) => {
    const run = commandsOn(db);
    const refused = await errorOf(() => run(line, { FIXED_NOW: '2026-11-20T12:00:00Z' }));
    expectSaid(refused.message, said);
    expect(codeOf(refused)).toBe(code);
  });
});
