/**
 * The layouts in which readings come, as data: one row each. A new one needs a row here, a sample in the test, and nothing else. A field
 * is the name of a column of CSV, or the path of a key in JSON (`uplink_message.received_at`); case does not matter.
 */
import { keyOf, PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';

/** The interval that the rows of a file are means of. */
export type Means = 'hour' | 'day';

/** Our name for what a field measures, and its unit if that is not the stored one. */
type Measured = ParameterName | `${ParameterName} ${string}`;

export type Profile = {
  name: string;
  /** Where its publisher describes it. */
  source: string;
  /** It is recognized by the fields of one of these lists, all of which must be there. None: it is what is left. */
  recognized: readonly (readonly string[])[];
  /** In JSON, where the rows are, if they are not the document or its elements. */
  rows?: string;
  /** In JSON, where the names of the columns are, if each row is a list. */
  header?: string;
  /** Fields in order of preference: our number of the sensor, the device's name for itself, the time of a reading. */
  sensor?: readonly string[];
  device?: readonly string[];
  time: readonly string[];
  /** The start of the interval of a mean, preferred in rows that have one (S3). */
  start?: string;
  /** The zone of times without an offset. `network`: that of the network. Absent: a time needs an offset. */
  zone?: 'UTC' | 'network';
  /** The parameters that its fields measure. In JSON, the first of several for one parameter counts; of channels (`a + b`), the mean of those there are. */
  values: Readonly<Record<string, Measured>>;
  /** Channels (`a + b`) of which the mean counts if the first is mapped to a parameter. */
  channels?: readonly string[];
  /** Our own names are understood too: in JSON, in this object of a row ('' is the row itself). */
  ours?: string;
  /** One row, or one element of `list` in it, for each parameter, which has a name of `values`. */
  long?: {
    list?: string;
    parameter: readonly string[];
    value: readonly string[];
    unit?: readonly string[];
  };
  /** In JSON, rows in which a field has this value, as text, are left out or, where it says why, rejected. */
  without?: readonly { field: string; value: string; why?: string }[];
  /** Fields that need not be reported as unused. */
  unused?: readonly string[];
  /** The interval that its rows are means of. */
  means?: Means;
  /** A description of the header that is needed, for messages; absent: its fields. */
  needed?: string;
};

const named = (name: (parameter: ParameterName) => string): Record<string, Measured> =>
  Object.fromEntries(PARAMETER_NAMES.map((parameter) => [name(parameter), parameter]));

/**
 * The names of Sensor.Community for what it measures, in its feeds and in the airRohr firmware: P1 is PM10 and P2 is PM2.5, not the other
 * way round. Pressure is in Pa.
 */
export const SENSOR_COMMUNITY_VALUES = {
  P0: 'pm1',
  P1: 'pm10',
  P2: 'pm25',
  temperature: 'temperature',
  humidity: 'humidity',
  pressure: 'pressure',
} as const satisfies Record<string, ParameterName>;

/** The open data of airquality.am: pm2.5 is the raw value in measurements, and the corrected one in means, whatever it is called. */
const AIRQUALITY_AM = {
  name: 'airquality-am',
  source: 'the description published with it at https://airquality.am',
  sensor: ['sensor_id'],
  time: ['timestamp'],
  start: 'time_start',
  unused: ['time_end'],
  zone: 'network',
  needed:
    'Needed are measurements_YYYY_MM.csv or sensor_avg files, with sensor_id, timestamp and measured values; those of stations and cities are computed from them.',
} as const;
const AIRQUALITY_AM_MEANS: Profile['values'] = {
  ...named((parameter) => `total_${parameter}`),
  ...named((parameter) => `avg_${parameter}`),
  ...named(String),
  'avg_pm2.5': 'pm25',
  'pm2.5': 'pm25',
};

/** Names that mean ours: the API's, those of Sensor.Community, and short ones. */
const OTHER_NAMES: Profile['values'] = {
  ...{
    'pm2.5': 'pm25',
    pm2_5: 'pm25',
    'pm2.5_raw': 'pm25_raw',
    'pm1.0': 'pm1',
    temp: 'temperature',
    rh: 'humidity',
  },
  ...{ P0: 'pm1', P1: 'pm10', P2: 'pm25' },
};

/** Messages that somebody simulates in the console of The Things Stack. */
const SIMULATED = [
  { field: 'simulated', value: 'true', why: 'it is simulated: nothing was measured' },
];

/** The first that is recognized counts. */
export const PROFILES: readonly Profile[] = [
  { ...AIRQUALITY_AM, recognized: [['avg_pm2.5']], values: AIRQUALITY_AM_MEANS, means: 'day' },
  {
    ...AIRQUALITY_AM,
    recognized: PARAMETER_NAMES.flatMap((name) => [[`avg_${name}`], [`total_${name}`]]),
    values: AIRQUALITY_AM_MEANS,
    means: 'hour',
  },
  {
    ...AIRQUALITY_AM,
    recognized: [['pm2.5_corrected']],
    values: { ...named(keyOf), 'pm2.5': 'pm25_raw', 'pm2.5_corrected': 'pm25' },
  },
  {
    name: 'purpleair',
    source: 'https://api.purpleair.com, https://community.purpleair.com/t/sd-card-file-headers/279',
    recognized: [
      ['sensor_index', 'time_stamp'],
      ['api_version', 'fields', 'data'],
      ['utcdatetime', 'current_temp_f'],
      ['created_at', 'temperature_f'],
    ],
    rows: 'data',
    header: 'fields',
    sensor: ['sensor_index'],
    device: ['mac_address'],
    time: ['last_seen', 'time_stamp', 'utcdatetime', 'created_at'],
    // ATM, not CF=1: above 30 µg/m³ CF=1 is up to 1.5 times ATM, and the pieces of epa-2021 (0.786 = 1.5 × 0.524) are those for ATM
    values: {
      ...{
        'pm2.5_atm': 'pm25_raw',
        'pm2_5_atm + pm2_5_atm_b': 'pm25_raw',
        'pm2.5_atm_ug/m3': 'pm25_raw',
      },
      ...{ 'pm1.0_atm': 'pm1', 'pm1_0_atm + pm1_0_atm_b': 'pm1' },
      ...{ 'pm10.0_atm': 'pm10', 'pm10_0_atm + pm10_0_atm_b': 'pm10' },
      ...{
        temperature: 'temperature f',
        current_temp_f: 'temperature f',
        temperature_f: 'temperature f',
      },
      ...{
        humidity: 'humidity',
        current_humidity: 'humidity',
        'humidity_%': 'humidity',
        pressure: 'pressure mbar',
      },
    },
    channels: [
      'pm1_0_cf_1 + pm1_0_cf_1_b',
      'pm2_5_cf_1 + pm2_5_cf_1_b',
      'pm10_0_cf_1 + pm10_0_cf_1_b',
    ],
  },
  {
    name: 'openaq',
    source: 'https://docs.openaq.org/aws/about, https://docs.openaq.org/resources/measurements',
    recognized: [
      ['location_id', 'parameter', 'value', 'datetime'],
      ['results', 'meta'],
    ],
    rows: 'results',
    sensor: ['sensors_id', 'sensor_id', 'sensorsId'],
    time: ['period.datetimeFrom.utc', 'datetime.utc', 'datetime'],
    values: { ...named(String), relativehumidity: 'humidity' },
    long: {
      parameter: ['parameter.name', 'parameter'],
      value: ['value'],
      unit: ['parameter.units', 'units', 'unit'],
    },
    unused: ['location_id', 'location', 'lat', 'lon'],
  },
  {
    name: 'ttn',
    source: 'https://github.com/TheThingsNetwork/lorawan-devices/tree/master/lib/payload.json',
    recognized: [['end_device_ids.device_id', 'uplink_normalized']],
    device: ['end_device_ids.device_id'],
    time: [
      'uplink_normalized.normalized_payload.time',
      'uplink_normalized.received_at',
      'received_at',
    ],
    ours: 'uplink_normalized.normalized_payload',
    values: {
      ...{
        'air.temperature': 'temperature',
        'air.relativeHumidity': 'humidity',
        'air.pressure': 'pressure hpa',
      },
      ...{ 'wind.speed': 'wind_speed', 'wind.direction': 'wind_direction' },
    },
    without: SIMULATED,
    unused: ['air', 'wind', 'soil'],
  },
  {
    name: 'ttn',
    source: 'https://www.thethingsindustries.com/docs/integrations/data-formats',
    recognized: [['end_device_ids.device_id', 'uplink_message']],
    device: ['end_device_ids.device_id'],
    time: ['uplink_message.received_at', 'received_at'],
    ours: 'uplink_message.decoded_payload',
    values: OTHER_NAMES,
    without: [
      ...SIMULATED,
      {
        field: 'uplink_message',
        value: 'undefined',
        why: 'it is no uplink message: leave only those enabled in the webhook',
      },
      {
        field: 'uplink_message.decoded_payload',
        value: 'undefined',
        why: 'no decoder is set, so it has no decoded_payload: set one in The Things Stack, under Payload formatters',
      },
    ],
  },
  {
    name: 'airgradient',
    source: 'https://github.com/airgradienthq/arduino/blob/master/docs/local-server.md',
    recognized: [
      ['serialno', 'pm02'],
      ['serialno', 'atmp'],
      ['wifi', 'pm02', 'rhum'],
    ],
    device: ['serialno'],
    time: [],
    values: {
      ...{ pm01: 'pm1', pm02: 'pm25_raw', pm02Compensated: 'pm25', pm10: 'pm10' },
      ...{
        atmpCompensated: 'temperature',
        atmp: 'temperature',
        rhumCompensated: 'humidity',
        rhum: 'humidity',
      },
    },
  },
  {
    name: 'sensor-community',
    source:
      'https://github.com/opendata-stuttgart/meta/wiki/EN-APIs, https://archive.sensor.community',
    recognized: [
      ['sensor_id', 'sensor_type', 'location', 'timestamp'],
      ['sensor.id', 'sensordatavalues'],
    ],
    sensor: ['sensor.id', 'sensor_id'],
    time: ['timestamp'],
    zone: 'UTC',
    values: SENSOR_COMMUNITY_VALUES,
    long: { list: 'sensordatavalues', parameter: ['value_type'], value: ['value'] },
    without: [{ field: 'location.indoor', value: '1' }],
    unused: ['sensor_type', 'location', 'lat', 'lon', 'durp1', 'ratiop1', 'durp2', 'ratiop2'],
  },
  {
    name: 'home-assistant',
    source:
      'https://developers.home-assistant.io/docs/api/rest, https://www.home-assistant.io/integrations/sensor',
    recognized: [
      ['entity_id', 'state'],
      ['statistic_id', 'mean', 'start'],
    ],
    sensor: ['sensor_id'],
    device: ['device'],
    time: ['time', 'last_updated', 'last_changed', 'start'],
    ours: '',
    values: {
      ...{
        atmospheric_pressure: 'pressure',
        nitrogen_dioxide: 'no2',
        ozone: 'o3',
        sulphur_dioxide: 'so2',
      },
      ...{ ...named(String), ...OTHER_NAMES, precipitation: 'rain' },
    },
    long: {
      parameter: ['attributes.device_class', 'entity_id', 'statistic_id'],
      value: ['state', 'mean'],
      unit: ['attributes.unit_of_measurement', 'unit'],
    },
    unused: ['min', 'max', 'last_reported', 'context'],
  },
  {
    name: 'airseries',
    source: 'src/ingest/README.md',
    recognized: [[]],
    sensor: ['sensor_id', 'sensor', 'sensorid'],
    device: ['device'],
    time: ['measured_at', 'time', 'timestamp', 'datetime'],
    ours: '',
    values: OTHER_NAMES,
  },
];

export const OWN_FORMAT = 'airseries';

/** The names, each once. */
export const FORMATS: readonly string[] = [...new Set(PROFILES.map(({ name }) => name))].sort();
