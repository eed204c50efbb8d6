/** The five history windows: the keys of every history response, in their order, and the bucket each is made of. */
export const WINDOWS = [
  { key: '24h', bucket: 'hour', count: 24 },
  { key: '7d', bucket: 'hour', count: 168 },
  { key: '30d', bucket: 'day', count: 30 },
  { key: '1y', bucket: 'month', count: 12 },
  { key: '2y', bucket: 'month', count: 24 },
] as const;

export type WindowKey = (typeof WINDOWS)[number]['key'];
