/** The figures as a small table, and under it where the time went. */
import type { Busy } from './backends.ts';
import type { Seen } from './load.ts';
import type { Visible } from './watch.ts';

export type Row = {
  name: string;
  /** Load average of the machine: at the beginning and at the end. */
  machine: [number, number];
  seen: Seen;
  /** Of a change. */
  made?: { visible: Visible; commands: number[]; failed: string | undefined; maintain: number; busy: Busy };
};

const HEAD = ['', 'seen first', 'seen all', 'commands', 'compress', 'peak MB', 'own MB'];
const API = ['API p50', 'p99', 'max ms', 'requests', 'failed', 'load avg'];
const WIDTH = 11;

const cells = ([first = '', ...others]: string[]) =>
  first.padEnd(WIDTH) + others.map((x) => x.padStart(WIDTH)).join('');
const one = (n: number | undefined) => (n === undefined ? 'never' : n.toFixed(1));

export function printHead(): void {
  console.log(cells([...HEAD, ...API]));
}

export function printRow({ name, machine, seen, made }: Row): void {
  const change = made === undefined ? Array<string>(HEAD.length - 1).fill('') : changeCells(made);
  const api = [seen.p50, seen.p99, seen.max].map(one);
  const load = machine.map(one).join('–');
  console.log(cells([name, ...change, ...api, String(seen.requests), String(seen.failures), load]));
  for (const why of seen.why) console.log(`  failed: ${why}`);
  if (made === undefined) return;
  const { commands, failed, busy } = made;
  if (failed !== undefined) console.log(`  THE COMMAND FAILED: ${failed}`);
  if (commands.length > 1) console.log(`  commands: ${commands.map(one).join(' s + ')} s`);
  const places = [...busy.seconds].sort(([, a], [, b]) => b - a).map(([place, s]) => `${place} ${s.toFixed(1)}`);
  console.log(`  seconds by what was written: ${places.join(', ')}`);
}

function changeCells({ visible, commands, maintain, busy }: NonNullable<Row['made']>): string[] {
  const total = commands.reduce((sum, n) => sum + n, 0);
  return [one(visible.first), one(visible.all), one(total), one(maintain), busy.peak.toFixed(0), busy.own.toFixed(0)];
}
