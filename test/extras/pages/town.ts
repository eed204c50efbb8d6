/**
 * A station with two sensors, one of them corrected, and two years of history with gaps; one
 * without readings; and a third in the town of the first, which leaves its temperature, humidity
 * and pressure out. The real service serves them.
 */
import type { Engine } from '../../../src/schema/aggregates.ts';
import { NOW } from '../../support/clock.ts';
import { citiesOfOneStation, install, reading, type Values } from '../../support/installation.ts';
import { serve } from '../../support/service.ts';

const HOUR_MS = 3_600_000;
const STEP_MS = 1_200_000;
const now = NOW.getTime();
const SINCE = Date.parse('2024-11-30T20:00:00Z');

/** Gaps in the readings: four hours of a night, two days, a month. */
const SILENCES = [
  ['2026-11-18T20:00:00Z', '2026-11-19T00:00:00Z'],
  ['2026-11-02T20:00:00Z', '2026-11-04T20:00:00Z'],
  ['2026-03-31T20:00:00Z', '2026-04-30T20:00:00Z'],
].map((ends) => ends.map((end) => Date.parse(end)));

const isSilent = (at: number) => SILENCES.some(([from = 0, to = 0]) => at >= from && at < to);

/** The times of readings: dense in the last days, whose readings are shown; four a day before. */
function* instants(): Generator<number> {
  for (let at = SINCE; at <= now; at += at < now - 200 * HOUR_MS ? 6 * HOUR_MS : STEP_MS)
    if (!isSilent(at)) yield at;
}

/** Values in waves, each parameter with a length of its own. */
function valuesAt(at: number): Values {
  const wave = (hours: number) => Math.sin(at / HOUR_MS / hours);
  return {
    pm25: 30 + 25 * wave(7) + 3 * wave(1.3),
    pm10: 45 + 30 * wave(8),
    temperature: 5 + 12 * wave(11),
    humidity: 60 + 20 * wave(9),
    wind_speed: 3 + 2 * wave(5),
    wind_direction: 180 + 179 * wave(13),
    rain: Math.max(0, wave(17)),
    so2: 20 + 10 * wave(6),
  };
}

export async function serveTown(engine: Engine) {
  const network = citiesOfOneStation(['town', 'village']);
  const here = await install(engine, {
    ...network,
    stations: [
      { ...network.stations[0], sensors: [{ id: 1 }, { id: 3, correction: 'epa-2021' }] },
      network.stations[1],
      { ...network.stations[0], id: 3, sensors: [{ id: 5 }], is_bad_thp: true },
    ],
  });
  const all = [...instants()];
  await here.accept(all.map((at) => reading(1, at, valuesAt(at))));
  await here.accept(
    all.map((at) => reading(3, at + 60_000, { pm25_raw: 50 + 45 * Math.sin(at / HOUR_MS / 10) })),
    NOW,
  );
  await here.accept(all.map((at) => reading(5, at, valuesAt(at + 3 * HOUR_MS))));
  await here.refresh(NOW);
  await here.digest(NOW);
  return serve(here);
}
