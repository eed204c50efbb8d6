/** The five history windows: the keys of every history response, in their order, and the bucket each is made of. */
export const WINDOWS = [
  { key: '24h', bucket: 'hour' },
  { key: '7d', bucket: 'hour' },
  { key: '30d', bucket: 'day' },
  { key: '1y', bucket: 'month' },
  { key: '2y', bucket: 'month' },
] as const;

export type WindowKey = (typeof WINDOWS)[number]['key'];
