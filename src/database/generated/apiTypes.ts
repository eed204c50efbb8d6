/**
 * The views and functions of schema api as Kysely sees them. Generated from the catalog by `npm run generate`; do not edit.
 * A column is nullable unless test/schema/apiTypes.ts lists it as never null.
 */

export type ApiViews = {
  'api.freshness': {
    refreshed_at: string | null;
    completed_at: string | null;
    data_version: number | null;
    digest_at: string | null;
    history: string | null;
  };
  'api.installation': {
    time_zone: string;
    epoch: string;
    engine: string;
    migrations: number;
    rollups: string | null;
    repeatable: string | null;
  };
  'api.kept_hours': { recorded: number | null; missing: number | null };
  'api.last_audit': { made_at: string; differing: number };
  'api.provider': { id: string; title: string; url: string; image: string; image_dark: string };
  'api.provider_title': { provider_id: string; locale: string; title: string };
  'api.quarantine_lines': { reason: string; lines: number };
  'api.region': {
    slug: string;
    kind: string;
    city_slug: string | null;
    map_latitude: number;
    map_longitude: number;
    map_delta: number;
    is_hidden: boolean | null;
  };
  'api.region_daily': {
    timestamp: string;
    region_slug: string;
    station_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
    min_temperature: number | null;
    max_temperature: number | null;
    min_pm25: number | null;
    max_pm25: number | null;
    min_pm10: number | null;
    max_pm10: number | null;
    min_no2: number | null;
    max_no2: number | null;
    min_dust: number | null;
    max_dust: number | null;
    min_wind_speed: number | null;
    max_wind_speed: number | null;
    min_aqi: number | null;
    max_aqi: number | null;
  };
  'api.region_hourly': {
    timestamp: string;
    region_slug: string;
    station_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
  };
  'api.region_monthly': {
    timestamp: string;
    region_slug: string;
    station_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
    min_temperature: number | null;
    max_temperature: number | null;
    min_pm25: number | null;
    max_pm25: number | null;
    min_pm10: number | null;
    max_pm10: number | null;
    min_no2: number | null;
    max_no2: number | null;
    min_dust: number | null;
    max_dust: number | null;
    min_wind_speed: number | null;
    max_wind_speed: number | null;
    min_aqi: number | null;
    max_aqi: number | null;
  };
  'api.region_title': { region_slug: string; locale: string; title: string; city: string | null };
  'api.server': { is_replica: boolean | null };
  'api.station': {
    id: number;
    provider: string;
    city_slug: string | null;
    district_slug: string | null;
    latitude: number;
    longitude: number;
    title_en: string | null;
    title_local: string | null;
  };
  'api.station_daily': {
    timestamp: string;
    station_id: number;
    sensor_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
    min_temperature: number | null;
    max_temperature: number | null;
    min_pm25: number | null;
    max_pm25: number | null;
    min_pm10: number | null;
    max_pm10: number | null;
    min_no2: number | null;
    max_no2: number | null;
    min_dust: number | null;
    max_dust: number | null;
    min_wind_speed: number | null;
    max_wind_speed: number | null;
    min_aqi: number | null;
    max_aqi: number | null;
  };
  'api.station_flag': {
    station_id: number;
    kind: string | null;
    reason: string;
    sensor_id: number | null;
    since: string | null;
    until: string | null;
    'pm2.5': number | null;
    median: number | null;
    compared_with: string | null;
    is_left_out: boolean | null;
  };
  'api.station_hourly': {
    timestamp: string;
    station_id: number;
    sensor_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
  };
  'api.station_monthly': {
    timestamp: string;
    station_id: number;
    sensor_count: number | null;
    avg_temperature: number | null;
    avg_humidity: number | null;
    avg_pressure: number | null;
    avg_pm1: number | null;
    avg_pm25: number | null;
    avg_pm25_raw: number | null;
    avg_pm10: number | null;
    avg_no2: number | null;
    avg_so2: number | null;
    avg_o3: number | null;
    avg_dust: number | null;
    avg_usvh: number | null;
    avg_uv: number | null;
    avg_wind_speed: number | null;
    avg_wind_direction: number | null;
    total_rain: number | null;
    aqi: number | null;
    min_temperature: number | null;
    max_temperature: number | null;
    min_pm25: number | null;
    max_pm25: number | null;
    min_pm10: number | null;
    max_pm10: number | null;
    min_no2: number | null;
    max_no2: number | null;
    min_dust: number | null;
    max_dust: number | null;
    min_wind_speed: number | null;
    max_wind_speed: number | null;
    min_aqi: number | null;
    max_aqi: number | null;
  };
  'api.station_title': {
    station_id: number;
    locale: string;
    title: string;
    city: string | null;
    district: string | null;
  };
  'api.storage': { schema: string; bytes: number };
};

/** The functions that return rows: their arguments by name, and a row. */
export type ApiFunctions = {
  changes: {
    arguments: { since: Date | string; until: Date | string };
    row: {
      shown_at: string | null;
      reason: string | null;
      station_id: number | null;
      region_slug: string | null;
      sensor_id: number | null;
      regions: string | null;
      first_hour: string | null;
      last_hour: string | null;
    };
  };
  changes_json: {
    arguments: { at: Date | string; most?: number };
    row: { since: string; changes: string; valid_until: string; data_version: number | null };
  };
  history_bounds: {
    arguments: { at: Date | string };
    row: {
      hours_since: string;
      hours_until: string;
      days_since: string;
      days_until: string;
      months_since: string;
      months_until: string;
      since_24h: string;
      until_24h: string;
      since_7d: string;
      until_7d: string;
      since_30d: string;
      until_30d: string;
      since_1y: string;
      until_1y: string;
      since_2y: string;
      until_2y: string;
    };
  };
  history_window: {
    arguments: { at: Date | string };
    row: { series: string; unit: string; since: string; until: string };
  };
  last_day_json: {
    arguments: { at: Date | string; most?: number };
    row: {
      stations: string | null;
      regions: string | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  newest_bucket: {
    arguments: { at: Date | string };
    row: { subject: string; resolution: string; timestamp: string | null };
  };
  parameter_map_json: {
    arguments: { at: Date | string; only_parameter: string };
    row: {
      unit: string;
      hours: string;
      stations: string;
      regions: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  provider_state: {
    arguments: { at: Date | string };
    row: { provider: string; measurement_time: string | null; online: number; offline: number };
  };
  region_changes_json: {
    arguments: { at: Date | string; only_region: string; most?: number };
    row: {
      city_slug: string | null;
      since: string;
      first_hour: string | null;
      changes: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  region_completeness: {
    arguments: {
      at: Date | string;
      unit: string;
      since: Date | string;
      until: Date | string;
      only_regions?: readonly string[];
    };
    row: {
      timestamp: string | null;
      region_slug: string | null;
      expected_hours: number | null;
      temperature_hours: number | null;
      humidity_hours: number | null;
      pressure_hours: number | null;
      pm1_hours: number | null;
      pm25_hours: number | null;
      pm25_raw_hours: number | null;
      pm10_hours: number | null;
      no2_hours: number | null;
      so2_hours: number | null;
      o3_hours: number | null;
      dust_hours: number | null;
      usvh_hours: number | null;
      uv_hours: number | null;
      wind_speed_hours: number | null;
      wind_hours: number | null;
    };
  };
  region_completeness_json: {
    arguments: { at: Date | string; only_region: string };
    row: { days: string; months: string; valid_until: string; data_version: number | null };
  };
  region_current: {
    arguments: { at: Date | string; only_region?: string; locale?: string };
    row: {
      slug: string;
      kind: string;
      title: string;
      city_slug: string | null;
      city: string | null;
      measurement_time: string | null;
      aqi: number | null;
      temperature: number | null;
      humidity: number | null;
      pressure: number | null;
      'pm2.5': number | null;
      pm10: number | null;
      no2: number | null;
      station_count: number | null;
      'who_daily_pm2.5': number | null;
      who_daily_exceedance: number | null;
      'who_year_pm2.5': number | null;
      who_yearly_exceedance: number | null;
      'who_pm2.5_exceedance_days': number;
      month_cigarettes: number | null;
      map_latitude: number;
      map_longitude: number;
      map_delta: number;
      is_hidden: boolean | null;
      has_measured: boolean | null;
      valid_until: string | null;
    };
  };
  region_days_json: {
    arguments: { at: Date | string; only_region: string; year: number };
    row: { days: string; valid_until: string; data_version: number | null };
  };
  region_european_json: {
    arguments: { at: Date | string };
    row: {
      places: string | null;
      timestamp: string | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  region_history: {
    arguments: { at: Date | string; only_region: string };
    row: {
      series: string;
      timestamp: string;
      station_count: number | null;
      avg_temperature: number | null;
      avg_humidity: number | null;
      avg_pressure: number | null;
      avg_pm1: number | null;
      avg_pm25: number | null;
      avg_pm25_raw: number | null;
      avg_pm10: number | null;
      avg_no2: number | null;
      avg_so2: number | null;
      avg_o3: number | null;
      avg_dust: number | null;
      avg_usvh: number | null;
      avg_uv: number | null;
      avg_wind_speed: number | null;
      avg_wind_direction: number | null;
      total_rain: number | null;
      aqi: number | null;
      min_temperature: number | null;
      max_temperature: number | null;
      min_pm25: number | null;
      max_pm25: number | null;
      min_pm10: number | null;
      max_pm10: number | null;
      min_no2: number | null;
      max_no2: number | null;
      min_dust: number | null;
      max_dust: number | null;
      min_wind_speed: number | null;
      max_wind_speed: number | null;
      min_aqi: number | null;
      max_aqi: number | null;
    };
  };
  region_history_json: {
    arguments: {
      only_region: string;
      hours_since: Date | string;
      hours_until: Date | string;
      days_since: Date | string;
      days_until: Date | string;
      months_since: Date | string;
      months_until: Date | string;
      since_24h: Date | string;
      until_24h: Date | string;
      since_7d: Date | string;
      until_7d: Date | string;
      since_30d: Date | string;
      until_30d: Date | string;
      since_1y: Date | string;
      until_1y: Date | string;
      since_2y: Date | string;
      until_2y: Date | string;
    };
    row: {
      '24h': string;
      '7d': string;
      '30d': string;
      '1y': string;
      '2y': string;
      data_version: number | null;
    };
  };
  region_hours_csv: {
    arguments: { at: Date | string; only_region: string; first_date: string; last_date: string };
    row: { lines: string; valid_until: string; data_version: number | null };
  };
  region_last_day_json: {
    arguments: { at: Date | string; only_region: string };
    row: {
      stations: string | null;
      regions: string | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  region_limits: {
    arguments: { at: Date | string; only_region: string; year?: number };
    row: {
      first_day: string;
      last_day: string | null;
      expected_days: number;
      expected_hours: number;
      'mean_pm2.5': number | null;
      'pm2.5_mean_limit': number;
      'pm2.5_mean_verdict': string;
      mean_pm10: number | null;
      pm10_mean_limit: number;
      pm10_mean_verdict: string;
      mean_no2: number | null;
      no2_mean_limit: number;
      no2_mean_verdict: string;
      mean_so2: number | null;
      so2_mean_limit: number;
      so2_mean_verdict: string;
      'pm2.5_days': number;
      'pm2.5_complete_days': number;
      'pm2.5_days_above': number;
      'pm2.5_days_limit': number;
      'pm2.5_days_allowed': number;
      'pm2.5_days_verdict': string;
      'pm2.5_days_change': number | null;
      pm10_days: number;
      pm10_complete_days: number;
      pm10_days_above: number;
      pm10_days_limit: number;
      pm10_days_allowed: number;
      pm10_days_verdict: string;
      pm10_days_change: number | null;
      no2_days: number;
      no2_complete_days: number;
      no2_days_above: number;
      no2_days_limit: number;
      no2_days_allowed: number;
      no2_days_verdict: string;
      no2_days_change: number | null;
      so2_days: number;
      so2_complete_days: number;
      so2_days_above: number;
      so2_days_limit: number;
      so2_days_allowed: number;
      so2_days_verdict: string;
      so2_days_change: number | null;
      no2_hours: number;
      no2_hours_above: number;
      no2_hours_limit: number;
      no2_hours_allowed: number;
      no2_hours_verdict: string;
      so2_hours: number;
      so2_hours_above: number;
      so2_hours_limit: number;
      so2_hours_allowed: number;
      so2_hours_verdict: string;
      o3_days: number;
      o3_complete_days: number;
      o3_days_above: number;
      o3_days_limit: number;
      o3_days_allowed: number;
      o3_days_verdict: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  region_months_json: {
    arguments: { at: Date | string; only_region: string };
    row: { months: string; valid_until: string; data_version: number | null };
  };
  region_neighbours_json: {
    arguments: { at: Date | string; only_region: string; most?: number };
    row: { neighbours: string | null; valid_until: string | null; data_version: number | null };
  };
  region_now: {
    arguments: { at: Date | string; only_region: string };
    row: {
      trend: string | null;
      'nowcast_pm2.5': number | null;
      nowcast_pm10: number | null;
      nowcast_aqi: number | null;
      nowcast_hours: number;
      european_index: string | null;
      european_timestamp: string | null;
      european_pollutants: string | null;
      european_values: string | null;
      european_concentrations: string | null;
      european_hours: string | null;
      valid_until: string;
      data_version: number | null;
    };
  };
  region_particles: {
    arguments: { at: Date | string; only_region: string };
    row: {
      stations: number | null;
      left_out: number | null;
      expected: number | null;
      digest_valid_until: string | null;
    };
  };
  region_stations_json: {
    arguments: { at: Date | string; only_region: string; instant: Date | string; most?: number };
    row: {
      timestamp: string | null;
      hour: string | null;
      stations: string | null;
      region: string | null;
      complete: boolean | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  region_warnings_json: {
    arguments: { at: Date | string; only_region: string; preferred_index: string; most?: number };
    row: {
      city_slug: string | null;
      index: string;
      category: string | null;
      category_since: string | null;
      since: string;
      warnings: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  sensor: {
    arguments: { at: Date | string; only_listed?: boolean };
    row: {
      id: number;
      station_id: number;
      kind: string | null;
      device: string | null;
      altitude: number | null;
      first_measurement_time: string | null;
      last_measurement_time: string | null;
      is_suspicious: boolean;
    };
  };
  sensor_pair: {
    arguments: { at: Date | string; only_station?: number };
    row: {
      x_sensor_id: number | null;
      x_station_id: number | null;
      y_sensor_id: number | null;
      y_station_id: number | null;
      days: number | null;
      slope: number | null;
      intercept: number | null;
      r2: number | null;
      rmse: number | null;
      meets_targets: boolean | null;
    };
  };
  station_changes_json: {
    arguments: { at: Date | string; only_station: number; most?: number };
    row: {
      city_slug: string | null;
      since: string;
      first_hour: string | null;
      changes: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  station_completeness: {
    arguments: {
      at: Date | string;
      unit: string;
      since: Date | string;
      until: Date | string;
      only_stations?: readonly number[];
    };
    row: {
      timestamp: string | null;
      station_id: number | null;
      expected_hours: number | null;
      temperature_hours: number | null;
      humidity_hours: number | null;
      pressure_hours: number | null;
      pm1_hours: number | null;
      pm25_hours: number | null;
      pm25_raw_hours: number | null;
      pm10_hours: number | null;
      no2_hours: number | null;
      so2_hours: number | null;
      o3_hours: number | null;
      dust_hours: number | null;
      usvh_hours: number | null;
      uv_hours: number | null;
      wind_speed_hours: number | null;
      wind_hours: number | null;
    };
  };
  station_completeness_json: {
    arguments: { at: Date | string; only_station: number };
    row: { days: string; months: string; valid_until: string; data_version: number | null };
  };
  station_current: {
    arguments: { at: Date | string; only_station?: number; locale?: string };
    row: {
      id: number;
      provider: string;
      status: string;
      is_listed: boolean;
      is_bad_thp: boolean;
      is_bad_pm: boolean | null;
      has_measured: boolean | null;
      title: string;
      city_slug: string | null;
      city: string | null;
      district_slug: string | null;
      district: string | null;
      latitude: number;
      longitude: number;
      measurement_time: string | null;
      aqi: number | null;
      temperature: number | null;
      humidity: number | null;
      pressure: number | null;
      pm1: number | null;
      'pm2.5': number | null;
      'pm2.5_raw': number | null;
      pm10: number | null;
      no2: number | null;
      so2: number | null;
      o3: number | null;
      dust: number | null;
      usvh: number | null;
      uv: number | null;
      wind_speed: number | null;
      wind_direction: string | null;
      rain: number | null;
      valid_until: string | null;
    };
  };
  station_days_json: {
    arguments: { at: Date | string; only_station: number; year: number };
    row: { days: string; valid_until: string; data_version: number | null };
  };
  station_european_json: {
    arguments: { at: Date | string };
    row: {
      places: string | null;
      timestamp: string | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  station_flags_json: {
    arguments: { at: Date | string; only_station: number };
    row: {
      flags: string | null;
      pairs: string | null;
      valid_until: string | null;
      data_version: number | null;
    };
  };
  station_gaps_json: {
    arguments: { at: Date | string; only_station: number; year: number };
    row: { gaps: string; valid_until: string; data_version: number | null };
  };
  station_history: {
    arguments: { at: Date | string; only_station: number };
    row: {
      series: string;
      timestamp: string;
      sensor_count: number | null;
      avg_temperature: number | null;
      avg_humidity: number | null;
      avg_pressure: number | null;
      avg_pm1: number | null;
      avg_pm25: number | null;
      avg_pm25_raw: number | null;
      avg_pm10: number | null;
      avg_no2: number | null;
      avg_so2: number | null;
      avg_o3: number | null;
      avg_dust: number | null;
      avg_usvh: number | null;
      avg_uv: number | null;
      avg_wind_speed: number | null;
      avg_wind_direction: number | null;
      total_rain: number | null;
      aqi: number | null;
      min_temperature: number | null;
      max_temperature: number | null;
      min_pm25: number | null;
      max_pm25: number | null;
      min_pm10: number | null;
      max_pm10: number | null;
      min_no2: number | null;
      max_no2: number | null;
      min_dust: number | null;
      max_dust: number | null;
      min_wind_speed: number | null;
      max_wind_speed: number | null;
      min_aqi: number | null;
      max_aqi: number | null;
    };
  };
  station_history_json: {
    arguments: {
      only_station: number;
      hours_since: Date | string;
      hours_until: Date | string;
      days_since: Date | string;
      days_until: Date | string;
      months_since: Date | string;
      months_until: Date | string;
      since_24h: Date | string;
      until_24h: Date | string;
      since_7d: Date | string;
      until_7d: Date | string;
      since_30d: Date | string;
      until_30d: Date | string;
      since_1y: Date | string;
      until_1y: Date | string;
      since_2y: Date | string;
      until_2y: Date | string;
    };
    row: {
      '24h': string;
      '7d': string;
      '30d': string;
      '1y': string;
      '2y': string;
      data_version: number | null;
    };
  };
  station_hours_csv: {
    arguments: { at: Date | string; only_station: number; first_date: string; last_date: string };
    row: { lines: string; valid_until: string; data_version: number | null };
  };
  station_last_hours: {
    arguments: { at: Date | string; only_station: number };
    row: { expected_hours: number; measured_hours: number };
  };
  station_limits: {
    arguments: { at: Date | string; only_station: number; year?: number };
    row: {
      first_day: string;
      last_day: string | null;
      expected_days: number;
      expected_hours: number;
      'mean_pm2.5': number | null;
      'pm2.5_mean_limit': number;
      'pm2.5_mean_verdict': string;
      mean_pm10: number | null;
      pm10_mean_limit: number;
      pm10_mean_verdict: string;
      mean_no2: number | null;
      no2_mean_limit: number;
      no2_mean_verdict: string;
      mean_so2: number | null;
      so2_mean_limit: number;
      so2_mean_verdict: string;
      'pm2.5_days': number;
      'pm2.5_complete_days': number;
      'pm2.5_days_above': number;
      'pm2.5_days_limit': number;
      'pm2.5_days_allowed': number;
      'pm2.5_days_verdict': string;
      'pm2.5_days_change': number | null;
      pm10_days: number;
      pm10_complete_days: number;
      pm10_days_above: number;
      pm10_days_limit: number;
      pm10_days_allowed: number;
      pm10_days_verdict: string;
      pm10_days_change: number | null;
      no2_days: number;
      no2_complete_days: number;
      no2_days_above: number;
      no2_days_limit: number;
      no2_days_allowed: number;
      no2_days_verdict: string;
      no2_days_change: number | null;
      so2_days: number;
      so2_complete_days: number;
      so2_days_above: number;
      so2_days_limit: number;
      so2_days_allowed: number;
      so2_days_verdict: string;
      so2_days_change: number | null;
      no2_hours: number;
      no2_hours_above: number;
      no2_hours_limit: number;
      no2_hours_allowed: number;
      no2_hours_verdict: string;
      so2_hours: number;
      so2_hours_above: number;
      so2_hours_limit: number;
      so2_hours_allowed: number;
      so2_hours_verdict: string;
      o3_days: number;
      o3_complete_days: number;
      o3_days_above: number;
      o3_days_limit: number;
      o3_days_allowed: number;
      o3_days_verdict: string;
      valid_until: string;
      data_version: number | null;
    };
  };
  station_months_json: {
    arguments: { at: Date | string; only_station: number };
    row: { months: string; valid_until: string; data_version: number | null };
  };
  station_neighbours_json: {
    arguments: { at: Date | string; only_station: number; most?: number };
    row: { neighbours: string | null; valid_until: string | null; data_version: number | null };
  };
  station_now: {
    arguments: { at: Date | string; only_station: number };
    row: {
      trend: string | null;
      'nowcast_pm2.5': number | null;
      nowcast_pm10: number | null;
      nowcast_aqi: number | null;
      nowcast_hours: number;
      european_index: string | null;
      european_timestamp: string | null;
      european_pollutants: string | null;
      european_values: string | null;
      european_concentrations: string | null;
      european_hours: string | null;
      valid_until: string;
      data_version: number | null;
    };
  };
  station_offline: {
    arguments: { at: Date | string };
    row: { station_id: number; last_measurement_time: string; offline_minutes: number };
  };
  station_readings_json: {
    arguments: { at: Date | string; only_station: number; instant: Date | string; most?: number };
    row: {
      timestamp: string;
      hour: string | null;
      sensors: string;
      station: string | null;
      kept: boolean;
      complete: boolean;
      valid_until: string;
      data_version: number | null;
    };
  };
  station_shift: {
    arguments: { at: Date | string; only_station?: number };
    row: {
      station_id: number | null;
      parameter: string | null;
      hours: number | null;
      shift_hours: number | null;
      r: number | null;
      r_unshifted: number | null;
      is_clear: boolean | null;
    };
  };
  station_suspect: {
    arguments: { at: Date | string };
    row: {
      station_id: number;
      kind: string;
      tests: string;
      since: string | null;
      is_left_out: boolean | null;
      detail: string;
    };
  };
  station_warnings_json: {
    arguments: { at: Date | string; only_station: number; preferred_index: string; most?: number };
    row: {
      city_slug: string | null;
      index: string;
      category: string | null;
      category_since: string | null;
      since: string;
      warnings: string;
      valid_until: string;
      data_version: number | null;
    };
  };
};
