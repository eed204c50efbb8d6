/** When a sensor gives nothing: single lost readings, hours without network, now and then days without anybody to look. */
import { chance } from './noise.ts';

const HOUR = 3_600_000;
const LOST = 301;
const AWAY = 302;
const BROKEN = 303;

export function isMissing(seed: number, sensor: number, at: number): boolean {
  const stream = sensor * 1_000;
  return (
    chance(seed, LOST + stream, at / 60_000) < 0.008 ||
    chance(seed, AWAY + stream, Math.floor(at / (5 * HOUR))) < 0.012 ||
    chance(seed, BROKEN + stream, Math.floor(at / (61 * HOUR))) < 0.012
  );
}
