/** What a reading's fields are called in files, besides the metrics. */
export const SENSOR_KEY = 'sensor_id';
/** The first one present counts. */
export const TIME_KEYS = ['measured_at', 'time', 'timestamp'] as const;
