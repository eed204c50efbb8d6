/** The relations of schema api as Kysely sees them. Their columns carry the JSON names, so the contract's types say most of it. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { RegionDay, StationDay } from '../contract/history.ts';
import type { Locale } from '../contract/locales.ts';
import type { City } from '../contract/region.ts';
import type { Provider, Station } from '../contract/station.ts';
import type { WindowKey } from '../contract/windows.ts';

type Titles = Record<`title_${Locale}`, string>;
type Names<Of extends string> = Record<`${Of}_${Locale}`, string | null>;

export type StationRow = Omit<Station, 'title' | 'city' | 'district' | 'lux' | 'url'> &
  Titles &
  Names<'city'> &
  Names<'district'> & { is_listed: boolean };

export type RegionRow = Omit<City, 'title' | 'url' | 'is_hidden'> &
  Titles &
  Names<'city'> & { kind: 'city' | 'district'; city_slug: string | null; is_hidden: boolean | null };

/** A bucket in one of the windows; ranges are still two scalars, and hours have nothing in them. */
type Bucket<Point> = Omit<Point, `range_${string}`> & {
  series: WindowKey;
  min_aqi: number | null;
  max_aqi: number | null;
};
export type StationBucket = Bucket<StationDay>;
export type RegionBucket = Bucket<RegionDay>;

export type Api = {
  'api.provider': Provider;
  'api.region': { slug: string };
  'api.station': { id: number };
  'api.freshness': { refreshed_at: string | null };
  'api.last_audit': { made_at: string; differing: number };
  'api.quarantine_lines': { reason: string; lines: number };
  'api.storage': { schema: string; bytes: number };
};

/** Only an instance over our reads will do, but nothing here depends on which. */
export type ApiDb = Kysely<Api>;

export const stationCurrent = (at: Date, id?: number): RawBuilder<StationRow> =>
  id === undefined ? sql`api.station_current(${at})` : sql`api.station_current(${at}, ${id})`;

export const regionCurrent = (at: Date, slug?: string): RawBuilder<RegionRow> =>
  slug === undefined ? sql`api.region_current(${at})` : sql`api.region_current(${at}, ${slug})`;

export const stationHistory = (at: Date): RawBuilder<StationBucket & { station_id: number }> =>
  sql`api.station_history(${at})`;

export const regionHistory = (at: Date): RawBuilder<RegionBucket & { region_slug: string }> =>
  sql`api.region_history(${at})`;
