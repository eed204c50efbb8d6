import { AN_HOUR_LATER, type FormatTable, SECONDS, T } from './table.ts';

const tags = { host: 'raspberry', device: 'garden' };
const air = (fields: object, timestamp = SECONDS) => ({ fields, name: 'air', tags, timestamp });
const cpu = {
  fields: { usage_idle: 97.1 },
  name: 'cpu',
  tags: { host: 'raspberry' },
  timestamp: SECONDS,
};
const ofMachine = { fields: { temp: 48.3 }, name: 'temp', tags, timestamp: SECONDS };

export const telegraf: FormatTable = {
  format: 'telegraf',
  samples: [
    {
      what: 'a metric, whose fields have our names',
      json: air({ pm25: 7.5, temperature_f: 50, lux: 300 }),
      stored: [{ device: 'garden', time: T, pm25: 7.5, temperature: 10 }],
      ignored: ['lux'],
    },
    {
      what: 'a batch with metrics of other plugins, which are no readings',
      json: { metrics: [air({ pm25: 7.5, humidity: 80 }), cpu, ofMachine] },
      stored: [{ device: 'garden', time: T, pm25: 7.5, humidity: 80 }],
      excluded: 1,
    },
    {
      what: 'a metric that names nothing but its host, which is mapped',
      declared: { column: ['device=tags.host'] },
      json: { ...air({ pm25: 7.5 }, SECONDS * 1_000), tags: { host: 'raspberry' } },
      stored: [{ device: 'raspberry', time: T, pm25: 7.5 }],
    },
    {
      what: 'a metric on each line',
      lines: [
        JSON.stringify(air({ pm25: 7.5, humidity: 80 })),
        JSON.stringify(air({ pm25: 8.5 }, SECONDS + 3_600)),
      ],
      stored: [
        { device: 'garden', time: T, pm25: 7.5, humidity: 80 },
        { device: 'garden', time: AN_HOUR_LATER, pm25: 8.5 },
      ],
      isMutated: true,
    },
  ],
};
