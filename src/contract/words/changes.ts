/** Why published numbers changed, in words, for feeds and pages (R1). */
import type { Locale } from '../endpoints.ts';
import type { Reason } from '../explore/changes.ts';
import { fill } from './form.ts';
import { COMMON_WORDS } from './words.ts';

/** A change of any of the three documents. */
export type Change = {
  shown_at: string;
  reason: Reason;
  hours: readonly { first_hour: string; last_hour: string }[];
  stations?: readonly number[] | null;
  station_count?: number | null;
  sensors?: readonly number[];
  regions?: readonly string[];
};

/** Titles in a language, of stations by id and of regions by slug. */
type PlaceTitles = Readonly<Record<'stations' | 'regions', ReadonlyMap<string, string>>>;

/**
 * Why numbers changed, in words, with the names of at most `most` causes: `late readings (First
 * street, Second street and 3 more)`.
 */
export function whyOf(
  locale: Locale,
  { reason, stations, station_count, sensors = [], regions = [] }: Change,
  titles: PlaceTitles,
  most: number,
): string {
  const { reasons, causes } = COMMON_WORDS[locale];
  const why = reasons[reason];
  if (stations === null) return `${why} (${causes.all})`;
  const names = [
    ...sensors.map(String),
    ...(stations ?? []).map((id) => titles.stations.get(String(id)) ?? String(id)),
    ...regions.map((slug) => titles.regions.get(slug) ?? slug),
  ];
  if (names.length === 0) return why;
  const unnamed =
    sensors.length + (station_count ?? 0) + regions.length - Math.min(names.length, most);
  const shown = names.slice(0, most).join(', ');
  return `${why} (${unnamed > 0 ? fill(causes.more, { names: shown, n: unnamed }) : shown})`;
}

/**
 * True of a flag in the document of its station, whose own numbers stay. Only changes of stations
 * have sensors.
 */
export const isFlagOnly = ({ reason, sensors }: Change): boolean =>
  sensors !== undefined && (reason === 'flag' || reason === 'screening');
