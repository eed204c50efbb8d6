/** Examples for the OpenAPI document: answers of the demo network, whose places and values are invented. */

import type { City, Provider, Station } from './current.ts';
import type { StationsList } from './endpoints.ts';

const provider: Provider = {
  id: 'airseries-demo-volunteers',
  title: 'Velmora Air Volunteers (demo)',
  url: '',
  image: '',
  image_dark: '',
};

const station: Station = {
  id: 3,
  status: 'online',
  title: '35 Observatory Street',
  city: 'Velmora',
  city_slug: 'velmora',
  district: 'Kestrava',
  district_slug: 'kestrava',
  latitude: 45.1185,
  longitude: -39.1817,
  is_bad_thp: false,
  measurement_time: '2026-11-20T18:00:00+04:00',
  temperature: 11.3,
  humidity: 68,
  pressure: 100524,
  aqi: 104,
  'pm2.5': 36.7,
  'pm2.5_raw': null,
  pm10: 49.2,
  pm1: 23.5,
  wind_speed: 0.2,
  wind_direction: 'WNW',
  uv: 0,
  rain: 0,
  no2: 24.3,
  so2: 3.6,
  o3: 38.5,
  dust: null,
  usvh: 0.11,
  lux: null,
  provider: provider.id,
  url: '',
};

const region: City = {
  slug: 'velmora',
  title: 'Velmora',
  measurement_time: '2026-11-20T18:00:32+04:00',
  temperature: 11.6,
  humidity: 67,
  pressure: 100616,
  aqi: 102,
  'pm2.5': 35.8,
  pm10: 47.8,
  no2: 24.3,
  station_count: 11,
  'who_daily_pm2.5': 22.8,
  who_daily_exceedance: 1.5,
  'who_year_pm2.5': 22.9,
  who_yearly_exceedance: 4.6,
  'who_pm2.5_exceedance_days': 186,
  month_cigarettes: 32.2,
  url: '',
  map_latitude: 45.1,
  map_longitude: -39.2,
  map_delta: 0.2,
  is_hidden: false,
};

const stations: StationsList = { providers: [provider], stations: [station], regions: [region] };

/** By endpoint. */
export const EXAMPLES: Readonly<Record<string, unknown>> = { stations, station, region };
