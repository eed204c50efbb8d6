/**
 * Grafana's ids of units. A suffix stands for a unit that Grafana would rescale (0.5 mm to 500 µm,
 * 0.1 µSv/h to 100 nSv/h).
 */
export const UNIT = {
  none: 'none',
  text: 'string',
  concentration: 'con\u03bcgm3', // with a Greek letter
  ppb: 'conppb',
  celsius: 'celsius',
  percent: 'percent',
  ratio: 'percentunit',
  hectopascal: 'pressurehpa',
  speed: 'velocityms',
  degree: 'degree',
  millimetre: 'suffix:mm',
  metre: 'suffix:m',
  dose: 'suffix:µSv/h',
  seconds: 's',
  minutes: 'm',
  time: 'time:YYYY-MM-DD HH:mm',
  bytes: 'bytes',
  bytesPerSecond: 'Bps',
  requests: 'reqps',
  perSecond: 'cps',
  hours: 'suffix:h',
} as const;

export type Unit = (typeof UNIT)[keyof typeof UNIT];
