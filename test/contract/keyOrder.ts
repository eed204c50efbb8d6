/** The key orders of the specification, written out again on purpose to compare documents with. */
const words = (...lines: string[]) => lines.join(' ').split(' ');

export const PROVIDER = words('id title url image image_dark');

export const STATION = words(
  'id status title city city_slug district district_slug latitude longitude is_bad_thp',
  'measurement_time temperature humidity pressure aqi pm2.5 pm2.5_raw pm10 pm1 wind_speed',
  'wind_direction uv rain no2 so2 o3 dust usvh lux provider url',
);

const REGION_VALUES = words(
  'measurement_time temperature humidity pressure aqi pm2.5 pm10 no2 station_count',
  'who_daily_pm2.5 who_daily_exceedance who_year_pm2.5 who_yearly_exceedance who_pm2.5_exceedance_days',
  'month_cigarettes url map_latitude map_longitude map_delta',
);
export const CITY = ['slug', 'title', ...REGION_VALUES, 'is_hidden'];
export const DISTRICT = ['slug', 'title', 'city', 'city_slug', ...REGION_VALUES];

export const HISTORY = words('24h 7d 30d 1y 2y');
const MEANS = words('timestamp avg_temperature avg_humidity avg_pressure avg_pm25 avg_pm10');
const MORE = words(
  'avg_no2 avg_usvh avg_dust avg_so2 avg_o3 avg_wind_direction avg_wind_speed total_rain',
);
const RANGES = words(
  'range_temperature range_pm25 range_pm10 range_dust range_wind_speed range_aqi',
);
const EXTREMES = words(
  'min_temperature max_temperature min_pm25 max_pm25 min_pm10 max_pm10 min_no2 max_no2',
  'min_dust max_dust min_wind_speed max_wind_speed',
);
export const STATION_HOUR = [...MEANS, 'avg_pm25_raw', ...MORE, 'aqi'];
export const STATION_DAY = [...MEANS, 'avg_pm25_raw', ...MORE, ...RANGES, 'aqi', ...EXTREMES];
export const REGION_HOUR = [...MEANS, ...MORE, 'station_count', 'aqi'];
export const REGION_DAY = [...MEANS, ...MORE, 'station_count', ...RANGES, 'aqi', ...EXTREMES];
