/**
 * A network of many sensors and its readings of one day: every sensor each 145 seconds, slightly
 * offset from the others.
 */
import { seeded } from '../support/random.ts';

export const STEP_MS = 145_000;
const PROVIDERS = 5;

export type Feed = { provider: string; sensors: number[] };

export function makeNetwork(sensors: number) {
  const stations = Array.from({ length: sensors / 2 }, (_, n) => ({
    id: n + 1,
    provider: `feed-${n % PROVIDERS}`,
    title: { en: `Station ${n + 1}` },
    latitude: 40 + n / 1_000,
    longitude: 44 + n / 1_000,
    regions: [`city-${'abcdefgh'[n % 8]}`],
    sensors: [
      { id: 2 * n + 1, kind: 'SDS011' },
      { id: 2 * n + 2, kind: 'BME280' },
    ],
  }));
  // only probes are sent for it
  const probe = {
    ...stations[0],
    id: stations.length + 1,
    sensors: [{ id: sensors + 1, kind: 'probe' }],
  };
  const network = {
    time_zone: 'Asia/Yerevan',
    providers: Array.from({ length: PROVIDERS }, (_, n) => ({
      id: `feed-${n}`,
      title: `Feed ${n}`,
    })),
    regions: [...'abcdefgh'].map((letter) => ({
      slug: `city-${letter}`,
      kind: 'city',
      title: { en: letter },
    })),
    stations: [...stations, probe],
  };
  const feeds: Feed[] = network.providers.map(({ id }) => ({
    provider: id,
    sensors: stations
      .filter(({ provider }) => provider === id)
      .flatMap((station) => station.sensors.map((s) => s.id)),
  }));
  return { network, feeds, probe: { station: probe.id, sensor: sensors + 1 } };
}

const random = seeded(20_261_121);

/** Odd sensors measure particles, even ones weather. */
export function measure(sensor: number, at: number) {
  const time = new Date(at + (sensor % 145) * 1_000).toISOString();
  const wave = Math.sin(at / 20_000_000 + sensor);
  const value = (mean: number, swing: number) =>
    Number((mean + swing * wave + random.next()).toFixed(2));
  return sensor % 2 === 1
    ? { sensor_id: sensor, time, pm25: value(15, 9), pm10: value(25, 14) }
    : {
        sensor_id: sensor,
        time,
        temperature: value(8, 6),
        humidity: value(60, 20),
        pressure: value(90_000, 300),
      };
}
