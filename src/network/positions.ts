/**
 * Finds stations whose latitude and longitude were exchanged. Both may be valid numbers, so a position is compared with what else is
 * known of where the network is: the other stations, the station itself as it was imported before, and the place its time zone is named for.
 */
import { readFileSync } from 'node:fs';
import type { CheckContext } from './context.ts';

type Position = { latitude: number; longitude: number };

/** In km. A network may be as large as a country; exchanged positions are taken for it only where nothing else is near. */
const NEAR = 400;
/** How much nearer the exchanged position must be. */
const TIMES = 3;
/** Half as many stations have a median that says something. */
const FEWEST = 4;

/** Adds an issue for each station that is far from the network, but near it if its coordinates are exchanged. */
export function checkPositions({ parsed, existing, addIssue }: CheckContext): void {
  const stations = parsed.stations.filter(({ item }) => Number.isFinite(item.latitude + item.longitude));
  const listed = new Set(stations.map(({ item }) => item.id));
  const unlisted = [...existing.stations].flatMap(([id, station]) => (listed.has(id) ? [] : [station]));
  const known = [...stations.map(({ item }) => item), ...unlisted];
  const centre = known.length < FEWEST ? [] : [{ ...medianOf(known), what: 'most stations are' }];
  const zone = placeOfZone(existing.timeZone).map((place) => ({ ...place, what: `${existing.timeZone} is` }));
  for (const { position, item } of stations) {
    const before = existing.stations.get(item.id);
    const own = before === undefined ? [] : [{ ...before, what: 'the station was' }];
    const found = [...own, ...centre, ...zone].find((other) => isExchanged(item, other));
    if (found === undefined) continue;
    const { latitude, longitude } = item;
    addIssue(
      `${position}.latitude`,
      `latitude ${latitude} and longitude ${longitude} are far from where ${found.what} (${round(found.latitude)}, ${round(found.longitude)}): ` +
        `are they swapped? Write "latitude": ${longitude}, "longitude": ${latitude}`,
    );
  }
}

const round = (degrees: number) => Math.round(degrees * 100) / 100;

function isExchanged({ latitude, longitude }: Position, other: Position): boolean {
  const exchanged = { latitude: longitude, longitude: latitude };
  if (Math.abs(exchanged.latitude) > 90) return false;
  const near = kilometres(exchanged, other);
  const far = kilometres({ latitude, longitude }, other);
  return near < NEAR && far > NEAR && far > TIMES * near;
}

function medianOf(positions: readonly Position[]): Position {
  const middle = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  return {
    latitude: middle(positions.map(({ latitude }) => latitude)),
    longitude: middle(positions.map(({ longitude }) => longitude)),
  };
}

/** On the sphere. */
function kilometres(a: Position, b: Position): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const chord =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 2 * 6_371 * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** The IANA's table of zones, which most systems have. */
const ZONE_TABLE = '/usr/share/zoneinfo/zone.tab';

/** Where a zone's city is; none on a system without the table. */
function placeOfZone(zone: string): Position[] {
  let table: string;
  try {
    table = readFileSync(ZONE_TABLE, 'utf8');
  } catch {
    return [];
  }
  const row = table.split('\n').find((line) => !line.startsWith('#') && line.split('\t')[2]?.trim() === zone);
  const [, latitude, longitude] = /^([+-]\d+)([+-]\d+)$/.exec(row?.split('\t')[1] ?? '') ?? [];
  return latitude && longitude ? [{ latitude: degrees(latitude, 2), longitude: degrees(longitude, 3) }] : [];
}

/** ISO 6709: `+4011` or `+401100` with two digits of degrees. */
function degrees(text: string, digits: number): number {
  const [whole, minutes, seconds] = [
    text.slice(1, 1 + digits),
    text.slice(1 + digits, 3 + digits),
    text.slice(3 + digits),
  ];
  return (Number(whole) + Number(minutes) / 60 + Number(seconds) / 3_600) * (text.startsWith('-') ? -1 : 1);
}
