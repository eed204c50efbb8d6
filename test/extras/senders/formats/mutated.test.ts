/**
 * Changed texts of every format: lines swapped, taken away and repeated, characters replaced and
 * inserted. Each reading is accepted, unchanged or in quarantine, and no value is stored that the
 * text does not have.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InputError } from '../../../../src/base/inputError.ts';
import { PARAMETER_NAMES } from '../../../../src/contract/parameters.ts';
import { readReadings } from '../../../../src/extras/senders/reading/collect.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import type { ReadingInput } from '../../../../src/ingest/reading/reading.ts';
import { ENGINE, empty, importText, reading, stored, useTown } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { isAll } from '../../../support/database.ts';
import { patient } from '../../../support/patience.ts';
import { smallNetwork } from '../../../support/smallNetwork.ts';
import { textSource } from '../support.ts';
import { declarationsOf, type NamedSample, SAMPLES, textOf } from './samples.ts';

const MUTATED = SAMPLES.filter(([, { isMutated }]) => isMutated);

type Change = {
  what: 'swap' | 'drop' | 'repeat' | 'replace' | 'insert';
  at: number;
  to: number;
  with: string;
};
const CHARACTERS = [...',;\t"\n -−.x09\0{}[]:', 'NaN', '24'];
const change: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom('swap', 'drop', 'repeat', 'replace', 'insert'),
  at: fc.nat(1_000),
  to: fc.nat(1_000),
  with: fc.constantFrom(...CHARACTERS),
});
const severalChanges = fc.array(change, { minLength: 1, maxLength: 6 });

function mutated(content: string, changes: readonly Change[]): string {
  let text = content;
  for (const { what, at, to, with: other } of changes) {
    const lines = text.split('\n');
    const [one, two] = [at % lines.length, to % lines.length];
    const place = (at * 7 + to) % (text.length + 1);
    if (what === 'swap') [lines[one], lines[two]] = [lines[two] as string, lines[one] as string];
    if (what === 'drop') lines.splice(one, 1);
    if (what === 'repeat') lines.splice(two, 0, lines[one] as string);
    if (what === 'replace') text = text.slice(0, place) + other + text.slice(place + 1);
    else if (what === 'insert') text = text.slice(0, place) + other + text.slice(place);
    else text = lines.join('\n');
  }
  return text;
}

/** The numbers between any two delimiters of a text: the values that a careful reader may find. */
function numbersIn(text: string): Set<number> {
  const tokens = text.replaceAll('−', '-').split(/[;|\t"\s:{}[\]]/);
  const found = new Set<number>();
  for (const token of tokens) {
    for (const one of [token.replace(',', '.'), ...token.split(',')]) {
      if (one !== '' && !Number.isNaN(Number(one))) found.add(Math.fround(Number(one)));
    }
  }
  return found;
}

const named = ({ declared, isNamed, format }: NamedSample): Declarations => ({
  ...declarationsOf(declared),
  ...(isNamed && { name: format }),
});

/** The readings of a text, up to the place where it cannot be read any more. */
async function readingsOf(text: string, declared: Declarations): Promise<ReadingInput[]> {
  const found: ReadingInput[] = [];
  try {
    for await (const { readings } of readReadings(textSource(text), declared))
      found.push(...readings);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return found;
}

it.each(MUTATED)(
  'no value is read that a changed text does not have: %s',
  async (_, sample) => {
    const declared = { ...named(sample), timeZone: '+04:00', now: NOW };
    let values = 0;
    const runs = fc.sample(severalChanges, { numRuns: isAll ? 1_250 : 20, seed: 50 });
    for (const changes of runs) {
      const text = mutated(textOf(sample), changes);
      const known = numbersIn(text);
      const read = await readingsOf(text, declared);
      const numbers = read
        .flatMap((one) => Object.values(one.values))
        .map((value) => (typeof value === 'string' ? value.replaceAll('−', '-') : value))
        .filter((value) => value !== '' && value !== null)
        .map(Number)
        .filter((value) => !Number.isNaN(value)); // no number: it is rejected
      values += numbers.length;
      const invented = numbers.filter((value) => !known.has(Math.fround(value)));
      expect(invented, text).toEqual([]);
    }
    expect(values).toBeGreaterThan(runs.length / 5);
  },
  patient(120_000),
);

const OWNERS = MUTATED.flatMap(([, sample]) => sample.stored);
const devices = [...new Set(OWNERS.flatMap(({ device }) => device ?? []))];
const sensors = [...new Set(OWNERS.flatMap(({ sensor }) => sensor ?? []))];
/** Devices get ids that no sample has. */
const FIRST_ID = 1_000_001;
/** Every sensor and device of the samples, at one station. */
const OF_DEVICES = devices.map((device, index) => ({ id: FIRST_ID + index, device }));
const NETWORK = { sensors: [...sensors.map((id) => ({ id })), ...OF_DEVICES] };
const town = useTown(ENGINE, smallNetwork({ one: NETWORK, two: { sensors: [] } }));

/** The stored values before a sample comes; no sample has one of these values. */
const HELD = Object.fromEntries(
  PARAMETER_NAMES.map((name, index) => [name, name === 'pressure' ? 100_000.125 : index + 0.125]),
);
const hold = ({ stored }: NamedSample) =>
  town.accept(
    stored.map(({ sensor, device = '', time }) =>
      reading(sensor ?? FIRST_ID + devices.indexOf(device), time, HELD),
    ),
  );

// they go the same way once they are read: one of them in npm test
it.each(isAll ? MUTATED : MUTATED.slice(-1))(
  'each reading of a changed text is accepted, unchanged or quarantined (S2), and other parameters stay (S3): %s',
  async (_, sample) => {
    const format = { ...named(sample), timeZone: '+04:00' };
    const heldTimes = new Set(sample.stored.map(({ time }) => Date.parse(time)));
    const runs = fc.sample(severalChanges, { numRuns: isAll ? 200 : 10, seed: 50 });
    for (const changes of runs) {
      const text = mutated(textOf(sample), changes);
      await empty(town.owner);
      await hold(sample);

      const first = await importText(town.ingest, text, format);
      const rows = await stored(town.owner);
      const second = await importText(town.ingest, text, format);
      expect(await stored(town.owner), text).toEqual(rows);

      for (const { received, accepted, unchanged, quarantined } of [first, second]) {
        const refused = Object.values(quarantined).reduce((sum, n) => sum + n, 0);
        expect(accepted + unchanged + refused, text).toBe(received);
      }
      expect(second.received).toBe(first.received);

      const read = await readingsOf(text, format);
      const had = new Set(read.flatMap(({ values }) => Object.keys(values)));
      const others = PARAMETER_NAMES.filter((name) => !had.has(name));
      for (const row of rows.filter((one) => heldTimes.has(Date.parse(one.measured_at)))) {
        const stays = others.map((name) => row[name]);
        expect(stays, text).toEqual(others.map((name) => HELD[name]));
      }
    }
  },
  patient(120_000),
);
