/** Looks through the API at the months that a change must reach, and tells when the first and when the last of them had another value. */
import type { Mark } from './changes.ts';
import { yearBegins, yearEnds } from './network.ts';

const LOOK_MS = 250;

/** In seconds since the beginning; absent: it did not come to that. */
export type Visible = { first: number | undefined; all: number | undefined };

type Point = { timestamp: string } & Record<string, unknown>;

export async function watchMonths(root: string, marks: readonly Mark[]) {
  const before = await look(root, marks);
  if (before.size === 0) throw new Error('there is no month to look at');
  const started = performance.now();
  const visible: Visible = { first: undefined, all: undefined };
  let over = false;
  const seconds = () => (performance.now() - started) / 1_000;
  const note = async () => {
    const months = await look(root, marks).catch(() => before); // the API fails now and then: the load counts that
    const changed = [...before].filter(([month, value]) => months.get(month) !== value).length;
    if (changed > 0) visible.first ??= seconds();
    if (changed === before.size) visible.all ??= seconds();
  };
  const watching = (async () => {
    while (!over) {
      await note();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await note();
  })();
  return {
    seconds,
    async end(): Promise<Visible> {
      over = true;
      await watching;
      return visible;
    },
  };
}

/** The value of every month in the year, as text. */
async function look(root: string, marks: readonly Mark[]): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { path, field } of marks) {
    const answer = await fetch(`${root}/${path}`);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`);
    const { '2y': points } = (await answer.json()) as { '2y': Point[] };
    for (const { timestamp, [field]: value } of points) {
      const month = Date.parse(timestamp);
      if (month >= yearBegins && month < yearEnds) values.set(`${path} ${timestamp}`, JSON.stringify(value));
    }
  }
  return values;
}
