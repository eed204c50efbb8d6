/**
 * Two servers under full load in turn: requests a second, and requests per second of their own
 * processor time.
 */
import type { Context, Row } from '../run/measure.ts';
import { ratioRow } from '../run/measure.ts';
import { type Comparison, compare, comparisonOf, type Sample } from '../run/rounds.ts';
import { cpuSeconds } from './cpuTime.ts';

export const CONNECTIONS = 32;

type Loaded = { port: number; pid: number };
export type Case = { path: string; headers?: Record<string, string>; status?: number };
export type Rates = { rate: Comparison; cpu: Comparison | undefined };

/** Both as fast as they can, a second each round. */
export async function ratesOf(
  context: Context,
  servers: { ours: Loaded; reference: Loaded },
  { path, headers = {}, status = 200 }: Case,
): Promise<Rates> {
  const seconds = 1;
  const rounds = context.quick ? 3 : 15;
  const perCpuSecond = { ours: [] as Sample[], reference: [] as Sample[] };
  const variant = (name: keyof typeof servers) => async () => {
    const { port, pid } = servers[name];
    const before = cpuSeconds(pid);
    const job = { port, paths: [path], headers, status, connections: CONNECTIONS, seconds };
    const { requests, perSecond, best } = await context.generator.run(job);
    const value = requests / (cpuSeconds(pid) - before);
    perCpuSecond[name].push({ value, least: 1_000 / value });
    return { value: perSecond, least: best };
  };
  const onRound = (round: number, ratio: number) =>
    context.progress(`round ${round}: ${ratio.toFixed(3)}`);
  const [ours, reference] = [variant('ours'), variant('reference')];
  await ours(); // both compile what they use often
  await reference();
  perCpuSecond.ours.length = 0;
  perCpuSecond.reference.length = 0;
  const rate = await compare({ ours, reference, rounds, onRound });
  const hasCpu = perCpuSecond.ours.every(({ value }) => Number.isFinite(value));
  return {
    rate,
    cpu: hasCpu ? comparisonOf(perCpuSecond.ours, perCpuSecond.reference) : undefined,
  };
}

/** Two rows: as fast as it goes, and by processor time. */
export function rateRows(
  { rate, cpu }: Rates,
  judged: Pick<Row, 'id' | 'title' | 'must' | 'goal'>,
): Row[] {
  const ofRates = { better: 'higher', isOfRates: true } as const;
  const wall = ratioRow(rate, { ...judged, ...ofRates, unit: 'requests/s' });
  if (cpu === undefined) return [wall];
  const title = `${judged.title}, by CPU time`;
  return [wall, ratioRow(cpu, { ...judged, ...ofRates, title, unit: 'requests per CPU second' })];
}
