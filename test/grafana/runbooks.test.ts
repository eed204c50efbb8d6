/**
 * grafana/runbooks.md: a section for each alert and each disaster, with commands that exist, and
 * the dashboard that is made of it.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runbooks } from '../../grafana/source/runbooks.ts';
import { choose as chooseWords } from '../support/command.ts';
import { compose } from '../whole/deploy/composeFile.ts';
import { GRAFANA } from './dashboards.ts';
import { prometheusRules, stationRules } from './provisioning.ts';
import { SECTIONS } from './runbooks.ts';

const DISASTERS = SECTIONS.filter(({ alert }) => alert.startsWith('When '));
const ALERTS = SECTIONS.slice(0, -DISASTERS.length);

it('the runbooks have a section for each alert and, after these, for each disaster', () => {
  const alerts = [
    ...prometheusRules.map(({ alert }) => alert),
    ...stationRules().map(({ title }) => title),
  ];
  expect(ALERTS.map(({ alert }) => alert).sort()).toEqual(alerts.sort());
  expect(DISASTERS).not.toEqual([]);
  expect(SECTIONS.slice(ALERTS.length)).toEqual(DISASTERS);
});

it('the dashboard Runbooks has a panel for each section, in order (npm run generate)', () => {
  const written = JSON.parse(readFileSync(new URL('dashboards/runbooks.json', GRAFANA), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(runbooks)));
  expect(runbooks.uid).toBe('airseries-runbooks');
  expect(runbooks.panels.map(({ id, type, title }) => [id, type, title])).toEqual(
    SECTIONS.map(({ alert }, n) => [n + 1, 'text', alert]),
  );
});

it.each(ALERTS)(
  'the runbook "$alert" says if it can wait until morning, and has commands',
  ({ text, commands }) => {
    expect(text).toMatch(/^\*\*Until morning:\*\* (yes|no)\b.{30}/m);
    expect(commands).toHaveLength(2);
    expect(commands[0]).not.toContain('docker');
    expect(commands[1]).toMatch(/^(docker|df|curl) /);
  },
);

it.each(DISASTERS)(
  'the runbook "$alert" says how one notices it, what is lost, and when all is right again',
  ({ text, commands }) => {
    const [notices, lost, right] = ['One notices', 'Lost', 'Right again'].map((what) =>
      text.indexOf(`**${what}:** `),
    );
    expect([-1, notices, lost, right]).toEqual(
      [-1, notices, lost, right].sort((a = 0, b = 0) => a - b),
    );
    expect(commands.join('')).toMatch(/^node src\/airseries\.js audit|^pg_dump/m);
  },
);

it('a runbook says where the embedded server is, before programs that are given no address', () => {
  const restoring = DISASTERS.map(({ commands }) => commands.join('')).filter((text) =>
    /^pg_restore /m.test(text),
  );
  expect(restoring).not.toEqual([]);
  for (const text of restoring)
    expect(text).toMatch(
      /^export PGHOST=\/\S+\/run PGUSER=airseries .*`status`.*\n(psql.*\n)?createdb /m,
    );
});

it.each(SECTIONS)('the runbook "$alert" has only commands that exist', ({ commands }) => {
  const lines = commands
    .join('')
    .split(/[\n;|]/)
    .map((line) => line.replace(/ +#.*| > .*| - < .*/, '').trim());
  for (const line of lines.filter(
    (one) => one.includes('airseries.js ') || one.includes('dist/cli.js '),
  )) {
    const [, words] = / node (?:src\/airseries|dist\/cli)\.js (.+)$/.exec(` ${line}`) ?? [];
    if (line.startsWith('docker compose exec database')) continue;
    const args = (words ?? '').split(' ');
    const flags = args.filter((word) => word.startsWith('--'));
    const chosen = chooseWords(
      args[0] === 'import' ? [...args.slice(0, 2), 'file', ...flags] : args,
    );
    expect('run' in chosen || 'starts' in chosen, line).toBe(true);
  }
  for (const [, verb, rest = ''] of commands.join('').matchAll(/docker compose (\w+)(.*)/g)) {
    const words = rest.split(' ').filter((word) => word in compose.services);
    if (verb === 'exec') expect(words[0], rest).toBeDefined();
    if (['logs', 'exec', 'restart'].includes(`${verb}`))
      expect(words.length, rest).toBeGreaterThan(0);
  }
});
