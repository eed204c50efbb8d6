import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const device = 'UKI0000EGLL';

/** Elements of a real file, each with five columns beside it: 238 columns in all. */
const ELEMENTS = [
  ...['temperature', 'dew_point_temperature', 'station_level_pressure', 'sea_level_pressure'],
  ...['wind_direction', 'wind_speed', 'wind_gust', 'precipitation', 'relative_humidity'],
  ...['wet_bulb_temperature', 'snow_depth', 'visibility', 'altimeter', 'pressure_3hr_change'],
  ...['MW1', 'MW2', 'MW3', 'AU1', 'AU2', 'AU3', 'AW1', 'AW2', 'AW3'].map((one) => `pres_wx_${one}`),
  ...[1, 2, 3].flatMap((n) => [`sky_cover_${n}`, `sky_cover_baseht_${n}`]),
  ...[3, 6, 9, 12, 15, 18, 21, 24].map((hours) => `precipitation_${hours}_hour`),
  'remarks',
];
const BESIDE = ['Measurement_Code', 'Quality_Code', 'Report_Type', 'Source_Code'];
const PLACE = ['Latitude', 'Longitude', 'Elevation'];
const OF_ELEMENTS = ELEMENTS.flatMap((one) => [
  one,
  ...[...BESIDE, 'Source_Station_ID'].map((more) => `${one}_${more}`),
]);
const HEADER = ['Station_ID', 'Station_name', 'Year', 'Month', 'Day', 'Hour', 'Minute', ...PLACE];

/** A line with these values, each with its quality, and nothing else. */
function line(
  hour: number,
  minute: number,
  given: Record<string, [value: string, quality: string]>,
) {
  const cells = ELEMENTS.flatMap((one) => {
    const [value = '', quality = ''] = given[one] ?? [];
    return [value, '', quality, value && 'FM15', value && '335', value && 'ICAO-EGLL'];
  });
  const station = [device, 'HEATHROW', '2026', '11', '20', `${hour}`, `${minute}`];
  return [...station, '', '', '25.3', ...cells].join('|');
}

const READ = ['temperature', 'station_level_pressure', 'wind_direction', 'wind_speed'];
const UNUSED = ELEMENTS.filter((one) => !READ.includes(one) && one !== 'relative_humidity');

export const ghcnh: FormatTable = {
  format: 'ghcnh',
  samples: [
    {
      what: 'a time in five columns, and a quality beside each value, which leaves out the value alone (S7)',
      lines: [
        [...HEADER, ...OF_ELEMENTS].join('|'),
        line(8, 0, {
          temperature: ['4.5', '1'],
          station_level_pressure: ['1000.5', ''],
          sea_level_pressure: ['1003.6', '1'],
          altimeter: ['1003.5', '1'],
          wind_direction: ['270', '5'],
          wind_speed: ['4.1', '5'],
          precipitation: ['0.3', '1'],
          relative_humidity: ['84', 'U'],
        }),
        line(9, 0, { temperature: ['45.0', '3'], relative_humidity: ['85', '4'] }),
      ],
      stored: [
        {
          device,
          time: T,
          temperature: 4.5,
          pressure: 100_050,
          wind_direction: 270,
          wind_speed: 4.1,
        },
        {
          device,
          time: AN_HOUR_LATER,
          humidity: 85,
          pressure: null,
          wind_direction: null,
          wind_speed: null,
        },
      ],
      excluded: 2,
      ignored: UNUSED,
    },
    {
      what: 'a newer file, with one column of time; one quality is declared not to matter',
      declared: { only: ['temperature_Quality_Code=*'] },
      lines: [
        'STATION|Station_name|DATE|temperature|temperature_Quality_Code|temperature_Source_Code',
        `${device}|HEATHROW|2026-11-20T08:00:00|4.5|3|335`,
      ],
      stored: [{ device, time: T, temperature: 4.5 }],
    },
    {
      what: 'two hours in our units',
      lines: [
        'Station_ID|Year|Month|Day|Hour|Minute|temperature|temperature_Quality_Code|relative_humidity|relative_humidity_Quality_Code',
        `${device}|2026|11|20|8|0|4.5|1|84|1`,
        `${device}|2026|11|20|9|0|5.5|1|83|1`,
      ],
      stored: [
        { device, time: T, temperature: 4.5, humidity: 84 },
        { device, time: AN_HOUR_LATER, temperature: 5.5, humidity: 83 },
      ],
      isMutated: true,
    },
  ],
};
