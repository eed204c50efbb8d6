/** Recognizes the total of a gauge in the place of an amount of rain, which returns to 0 (S8). */
import { numberOf } from '../../../ingest/numbers.ts';
import { type Doubt, ENOUGH } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { SourceFacts } from './facts.ts';
import { asTheyAre } from './otherUnits.ts';

export function makeRisingRain({ declared }: SourceFacts) {
  const bySensor = new Map<unknown, [time: string, rain: number][]>();
  return {
    see({ sensorId, device, measuredAt, values }: ReadingInput): void {
      const rain = numberOf(values.rain);
      if (rain === undefined || typeof measuredAt !== 'string' || declared.has('rain')) return;
      const owner = sensorId ?? device;
      const all = bySensor.get(owner) ?? [];
      if (all.length === 0) bySensor.set(owner, all);
      all.push([measuredAt, rain]);
    },
    doubts(say: Vocabulary): Doubt[] {
      for (const all of bySensor.values()) {
        if (all.filter(([, rain]) => rain > 0).length < ENOUGH) continue;
        const amounts = all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rain]) => rain);
        const steps = amounts.slice(1).map((rain, at) => rain - (amounts[at] as number));
        if (steps.some((step) => step < 0) || !steps.some((step) => step > 0)) continue;
        return [
          {
            what: `rain only rises, from ${amounts[0]} to ${amounts.at(-1)} in ${amounts.length} rows: it is the total of a gauge that counts up, and no amount`,
            remedy: `Map it with ${say.option('column', 'rain_total=NAME')}, or add ${asTheyAre('rain', say)} if these are amounts.`,
          },
        ];
      }
      return [];
    },
  };
}
