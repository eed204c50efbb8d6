/** What the stations measured, one reading an hour of each sensor, as a file for `import readings`. In the order of time, as it came. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { seeded } from '../../support/random.ts';
import { HOT_STATIONS } from './changes.ts';
import { climateSensorOf, NOW, pmSensorOf } from './network.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HEADER = 'sensor_id,time,pm25_raw,pm10,temperature,humidity,pressure\n';

type Extent = { stations: number; days: number };

export const firstReading = ({ days }: { days: number }) => new Date(NOW.getTime() - days * DAY);

/** Returns how many readings there are. */
export async function writeReadings(file: string, { stations, days }: Extent): Promise<number> {
  await pipeline(Readable.from(hours({ stations, days })), createGzip({ level: 1 }), createWriteStream(file));
  return stations * 2 * days * 24;
}

function* hours({ stations, days }: Extent): Generator<string> {
  const random = seeded(20_261_120);
  yield HEADER;
  for (let hour = firstReading({ days }).getTime(); hour < NOW.getTime(); hour += HOUR) {
    const night = Math.cos((2 * Math.PI * hour) / DAY);
    const winter = Math.cos((2 * Math.PI * hour) / (365.25 * DAY));
    let lines = '';
    for (let station = 1; station <= stations; station++) {
      // both sensors at one second, as those of one device
      const time = new Date(hour + ((station * 17_000) % HOUR)).toISOString();
      const pm = 22 + 10 * winter + 6 * night + (station % 7) * 3 + 6 * random.next();
      const temperature = 12 - 12 * winter - 5 * night + (HOT_STATIONS.has(station) ? 20 : 0) + random.next();
      const humidity = 55 + 15 * night + 10 * random.next();
      const pressure = 90_000 + 300 * winter + 100 * random.next();
      lines += `${pmSensorOf(station)},${time},${pm.toFixed(2)},${(1.4 * pm).toFixed(2)},,,\n`;
      lines += `${climateSensorOf(station)},${time},,,${temperature.toFixed(2)},${humidity.toFixed(1)},${pressure.toFixed(0)}\n`;
    }
    yield lines;
  }
}
