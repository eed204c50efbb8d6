/** Reading a pulled document of up to 64 MiB takes little memory and does not block a process. */
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchDocument } from '../../../../src/extras/feeds/fetchDocument.ts';
import { readFeed } from '../../../../src/extras/feeds/readFeed.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { type Cost, costOf, leastHeld } from '../../../whole/faults/costs.ts';
import { openProvider, type Provider } from '../server.ts';

const SIZE = 64 * 1_048_576;
const MEGABYTE = 1_048_576;
/** Short enough not to try again, in ms. */
const ENOUGH_MS = 70;

let provider: Provider;
beforeAll(async () => {
  provider = await openProvider();
});
afterAll(() => provider.close());

/** Serves `start`, then `unit` repeated up to the largest size that is accepted, then `end`. */
function serve(start: string, unit: string, end = ''): void {
  provider.answer((_request, response) => {
    const gzip = createGzip({ level: 1 });
    gzip.pipe(response.setHeader('content-encoding', 'gzip'));
    const piece = unit.repeat(Math.ceil(MEGABYTE / unit.length));
    let left = Math.floor((SIZE - start.length - end.length) / unit.length) * unit.length;
    gzip.write(start);
    const more = () => {
      if (left === 0) return gzip.end(end);
      const next = piece.slice(0, Math.min(left, piece.length));
      left -= next.length;
      return gzip.write(next, more);
    };
    more();
  });
}

const ours = (length: number) => {
  const bare =
    '{"sensor":{"id":7},"timestamp":"2026-11-20 11:58:02","sensordatavalues":[],"x":""},';
  return bare.replace('""', `"${'x'.repeat(length - bare.length)}"`);
};
const world =
  '{"id":1,"sensor":{"id":100,"pin":"1","sensor_type":{"name":"SDS011","id":14,"manufacturer":"Nova Fitness"}},"timestamp":"2026-11-20 11:58:02","location":{"id":1,"indoor":0,"latitude":"40.000","longitude":"44.000","country":"AM"},"sensordatavalues":[{"value_type":"P1","value":"21.90","id":2},{"value_type":"P2","value":"14.20","id":3}]},';

it.each<[name: string, outcome: string, serve: () => void]>([
  ['brackets', 'not in the layout', () => serve('', '[')],
  ['brackets in an element', 'not in the layout', () => serve('[1,', '[', '1]')],
  ['objects in objects', 'not in the layout', () => serve('[', '{"a":', '1]')],
  ['one string', 'not in the layout', () => serve('["', 'x', '"]')],
  ['empty objects', 'it holds more than', () => serve('[', '{},', '{}]')],
  ['one object', 'not in the layout', () => serve('{"results":[[]', ',[]', ']}')],
  ['the whole world', '0 of', () => serve('[', world, '{}]')],
  ['ours, long', /* as text of 1.4 KB each */ '47', () => serve('[', ours(1_400), '{}]')],
  ['ours, too many', 'it holds more than', () => serve('[', ours(200), '{}]')],
])(
  '64 MiB of %s take less than 256 MB, and hold up the loop for less than 100 ms',
  async (_, outcome, begin) => {
    begin();
    const result: { read?: string } = {};
    const read = async (): Promise<void> => {
      const address = provider.url();
      const document = fetchDocument(
        address,
        { provider: 'them', hosts: [provider.host] },
        (chunks, refuse) =>
          readFeed(
            chunks,
            { name: 'sensor-community' },
            (sensor) => sensor < 100,
            refuse,
            READING_FORMATS,
          ),
      );
      result.read = await document.then(
        ({ readings, received }) => `${readings.length} of ${received}`,
        (error: Error) => error.message,
      );
    };
    const { megabytes, heldMs: first, seconds } = await costOf(read);
    const heldMs = first < ENOUGH_MS ? first : await leastHeld(read, ENOUGH_MS);
    expect(result.read).toContain(outcome);
    figures.push({ megabytes, heldMs, seconds });
    expect(megabytes).toBeLessThan(256);
    expect(heldMs).toBeLessThan(100);
  },
);

const figures: Cost[] = [];

it('the costs of reading these documents are written into the report', async ({ annotate }) => {
  const most = (key: 'megabytes' | 'heldMs' | 'seconds') =>
    Math.max(...figures.map((figure) => figure[key])).toFixed(0);
  await annotate(
    `row 4: a pulled document of 64 MiB: ${most('megabytes')} MB at most, the loop held up for ${most('heldMs')} ms, read in ${most('seconds')} s`,
  );
});
