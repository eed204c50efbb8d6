/**
 * Stations and regions, whose views have the same columns and differ only in the key, and the words
 * of SQL by which panels choose.
 */

export type Subject = {
  /** Prefix of its views: `station` for api.station_hourly. */
  view: 'station' | 'region';
  /** SQL condition on `b` that selects the chosen one. */
  isChosen: string;
};

/** The station or region of the dashboard's variable. */
export type OneSubject = Subject & {
  /** Its id, as an argument of a function. */
  id: string;
};

/** `${name:sqlstring}`: Grafana inserts the variable as an SQL string. */
export const quoted = (name: string): string => `$\{${name}:sqlstring}`;

/** The language of names chosen in the dashboard. */
export const LOCALE = quoted('locale');

/** The end of the dashboard's time range, which stands for now. */
export const AT = '$__timeTo()::timestamptz';

/**
 * SQL of the start of the hour, day or month of the network's zone that an instant is in: a session
 * of Grafana's has another zone.
 */
export const startOf = (unit: string, at: string) =>
  `(select date_trunc('${unit}', ${at}, i.time_zone) from api.installation i)`;

export const STATION = one('station', 'station_id', `${quoted('station')}::int`);
export const REGION = one('region', 'region_slug', quoted('region'));

function one(view: Subject['view'], column: string, id: string): OneSubject {
  return { view, id, isChosen: `b.${column} = ${id}` };
}

/** Joined as `shown`: the city of the station `of`, unless it is hidden. */
export const shownCity = (of: string): string =>
  `left join api.region shown on shown.slug = ${of}.city_slug and not shown.is_hidden`;

/**
 * Columns with the title of that city, which is the column `title`, and its slug for links: `-`
 * where there is none.
 */
export const cityColumns = (title: string) => ({
  city: `case when shown.slug is not null then ${title} end as "city"`,
  slug: `coalesce(shown.slug, '-') as "city_slug"`,
});
