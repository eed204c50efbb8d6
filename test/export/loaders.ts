/**
 * What public programs for airquality.am's open data expect of its files: which they open, and which columns of what type they use. Written
 * down from reading them; each fetches or copies single files out of the folder.
 */
import type { Type } from './csv.ts';

type Loader = {
  /** Its repository on GitHub. */
  repository: string;
  /** Files that it opens, with the columns that it uses. */
  opens: Readonly<Record<string, Readonly<Record<string, Type>>>>;
};

/** The columns of a day, of a sensor or of a station. */
const DAY = {
  timestamp: 'time',
  'avg_pm2.5': 'number',
  avg_pm10: 'number',
  avg_temperature: 'number',
  avg_pressure: 'number',
  avg_humidity: 'number',
} as const;

export const LOADERS: readonly Loader[] = [
  {
    // reads with pandas, writes to SQLite and queries there: days by strftime, is_suspicious = 0, sensors.id = sensor_id
    repository: 'ivanstetsiuk/air-quality-armenia-2024',
    opens: {
      'sensors.csv': {
        id: 'whole number',
        station_id: 'whole number',
        city_slug: 'text',
        district_slug: 'text',
        address_en: 'text',
        title: 'text',
        provider: 'text',
        external_id: 'text',
        sensor_type: 'text',
        latitude: 'number',
        longitude: 'number',
        altitude: 'number',
        first_measurement_time: 'time',
        last_measurement_time: 'time',
        is_suspicious: 'boolean',
      },
      'sensor_avg_daily.csv': {
        sensor_id: 'whole number',
        ...DAY,
      },
      'station_avg_daily.csv': {
        station_id: 'whole number',
        ...DAY,
      },
      'sensor_avg_hourly/sensor_avg_hourly_2024.csv': {
        sensor_id: 'whole number',
        timestamp: 'time',
        'pm2.5': 'number',
      },
      'station_avg_hourly/station_avg_hourly_2024.csv': { station_id: 'whole number', timestamp: 'time' },
    },
  },
  {
    // fetches by URL with pandas; parses timestamp by its exact format, and fits models on days of a city
    repository: 'EdgarTad2002/yerevan-air-quality',
    opens: {
      'sensors.csv': {},
      'sensor_avg_daily.csv': {},
      'station_avg_daily.csv': {},
      'city_avg_daily.csv': {
        city_slug: 'text',
        timestamp: 'time',
        'avg_pm2.5': 'number',
        'min_pm2.5': 'number',
        'max_pm2.5': 'number',
        avg_pm10: 'number',
        avg_temperature: 'number',
        min_temperature: 'number',
        max_temperature: 'number',
        avg_pressure: 'number',
        avg_humidity: 'number',
        avg_no2: 'number',
        avg_dust: 'number',
        avg_o3: 'number',
        avg_so2: 'number',
        total_rain: 'number',
        avg_wind_speed: 'number',
        avg_wind_direction: 'number',
        avg_usvh: 'number',
      },
      'city_avg_hourly/city_avg_hourly_2025.csv': {},
    },
  },
  {
    // reads with readr; binds two years by rows, so their columns are the same; keeps sensors of a provider that are not suspicious
    repository: 'hkeoshkerian/ArmeniaPollutionAnalysis',
    opens: {
      'sensors.csv': {
        id: 'whole number',
        provider: 'text',
        latitude: 'number',
        longitude: 'number',
        is_suspicious: 'boolean',
      },
      'sensor_avg_hourly/sensor_avg_hourly_2024.csv': {
        sensor_id: 'whole number',
        timestamp: 'time',
        'pm2.5': 'number',
      },
      'sensor_avg_hourly/sensor_avg_hourly_2025.csv': {
        sensor_id: 'whole number',
        timestamp: 'time',
        'pm2.5': 'number',
      },
    },
  },
];
