import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const device = '10637';
const HEADER =
  'year,month,day,hour,temp,temp_source,rhum,rhum_source,prcp,prcp_source,wdir,wdir_source,wspd,wspd_source,pres,pres_source,coco,coco_source';

export const meteostat: FormatTable = {
  format: 'meteostat',
  samples: [
    {
      what: 'hours of a station, of which forecasts are left out, value by value (S7)',
      declared: { device },
      lines: [
        HEADER,
        '2026,11,20,8,4.5,dwd_hourly,84,dwd_hourly,0.2,dwd_hourly,270,metar,18.0,metar,1013.2,metar,7,metar',
        '2026,11,20,9,5.5,metar,83,dwd_mosmix,0.4,metno_forecast,,,,,1013.0,dwd_mosmix,3,dwd_mosmix',
        '2026,11,20,10,6.0,dwd_mosmix,82,dwd_mosmix,,,,,,,1012.8,dwd_mosmix,3,dwd_mosmix',
      ],
      stored: [
        {
          device,
          time: T,
          temperature: 4.5,
          humidity: 84,
          rain: 0.2,
          wind_direction: 270,
          wind_speed: 5,
        },
        { device, time: AN_HOUR_LATER, temperature: 5.5 },
      ],
      excluded: 4,
      ignored: ['pres', 'coco'],
    },
    {
      what: 'pressure at sea level, which is mapped and refused (S9)',
      declared: { device, column: ['pressure_hpa=pres'] },
      lines: [HEADER, '2026,11,20,8,,,,,,,,,,,1013.2,metar,,'],
      stored: [],
      refused: [{ why: 'pres says that it is pressure reduced to sea level' }],
    },
    {
      what: 'two hours in our units',
      declared: { device },
      lines: [
        'year,month,day,hour,temp,temp_source,rhum,rhum_source',
        '2026,11,20,8,4.5,metar,84,metar',
        '2026,11,20,9,5.5,metar,83,metar',
      ],
      stored: [
        { device, time: T, temperature: 4.5, humidity: 84 },
        { device, time: AN_HOUR_LATER, temperature: 5.5, humidity: 83 },
      ],
      isMutated: true,
    },
  ],
};
