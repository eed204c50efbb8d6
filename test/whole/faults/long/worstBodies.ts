/** Bodies of just under 8 MiB, each as expensive to process as possible in its own way. */
const SIZE = 8 * 1024 * 1024 - 64;
const T = '2026-11-20T11:00:00Z';
const LONGEST = 65_000;

export type WorstBody = { name: string; text: string; lines?: true };

const repeated = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const array = (elements: string[]) => `[${elements.join(',')}]`;
const elementsOf = (make: (n: number, length: number) => string, length: number) =>
  Array.from({ length: Math.min(5_000, Math.floor(SIZE / (length + 1))) }, (_, n) =>
    make(n, length),
  );

const reading = (n: number, rest: string) => `{"sensor_id":${1 + (n % 7)},"time":"${T}",${rest}}`;
const padded = (n: number, length: number) =>
  reading(n, `"pm25":1,"note":"${'x'.repeat(length - 70)}"`);
const nested = (n: number, length: number) =>
  reading(n, `"pm25":${'['.repeat(length / 2 - 40)}${']'.repeat(length / 2 - 40)}`);
const manyKeys = (n: number, length: number) =>
  reading(
    n,
    `${Array.from({ length: Math.floor(length / 10) - 10 }, (_, key) => `"${(key + n).toString(36)}k":1`)}`,
  );
const longNumbers = (_n: number, length: number) =>
  `{"sensor_id":1,"time":"${T}","pm25":"${'1'.repeat(length - 80)}x"}`;
const allMetrics = (n: number) =>
  reading(
    n,
    `"temperature":"${n % 50}.12345678901234567","humidity":"5e1","pressure":1e5,"pm1":1.1,"pm25":2.2,"pm10":3.3,"dust":4,"so2":5,"o3":6,"no2":7,"usvh":0.1,"uv":1,"wind_speed":3,"wind_direction":4,"rain":0`,
  );

export function worstBodies(): WorstBody[] {
  const half = Math.floor(SIZE / 2);
  const lines = (elements: string[], name: string): WorstBody => ({
    name,
    text: elements.join('\n'),
    lines: true,
  });
  const both = (elements: string[], name: string): WorstBody[] => [
    { name, text: array(elements) },
    lines(elements, `${name}, as lines`),
  ];
  return [
    { name: 'brackets without end', text: '['.repeat(SIZE) },
    { name: 'brackets, closed', text: '['.repeat(half) + ']'.repeat(half) },
    { name: 'objects in objects', text: `[${'{"a":'.repeat(half / 5)}1${'}'.repeat(half / 5)}]` },
    {
      name: 'a nested value',
      text: `[{"sensor_id":1,"time":"${T}","pm25":${'['.repeat(half - 99)}${']'.repeat(half - 99)}}]`,
    },
    { name: 'empty objects', text: `[${repeated('{},', SIZE - 9)}{}]` },
    {
      name: 'objects in one reading',
      text: `[{"sensor_id":1,"a":[${repeated('{},', SIZE - 99)}{}]}]`,
    },
    { name: 'one string', text: `["${'x'.repeat(SIZE - 9)}"]` },
    { name: 'escapes', text: `["${repeated('\\u00e9', SIZE - 9)}"]` },
    { name: 'characters of three bytes', text: `["${'\u20ac'.repeat((SIZE - 9) / 3)}"]` },
    { name: 'one number', text: `[${'1'.repeat(SIZE - 9)}]` },
    { name: 'blanks', text: `${' '.repeat(SIZE - 9)}[]` },
    {
      name: 'one object of many keys',
      text: `{${Array.from({ length: SIZE / 12 }, (_, n) => `"${n.toString(36)}":1`)}}`,
    },
    ...both(elementsOf(padded, Math.floor(SIZE / 5_000) - 2), '5,000 readings, as long as can be'),
    ...both(elementsOf(padded, LONGEST), 'the longest readings'),
    ...both(elementsOf(nested, LONGEST), 'nested readings'),
    ...both(elementsOf(nested, 1_600), '5,000 nested readings'),
    ...both(elementsOf(manyKeys, LONGEST), 'readings of many keys'),
    ...both(elementsOf(manyKeys, 1_600), '5,000 readings of many keys'),
    ...both(elementsOf(longNumbers, LONGEST), 'the longest numbers'),
    ...both(
      elementsOf((n) => allMetrics(n), 320),
      '5,000 readings of every metric',
    ),
    ...both(
      elementsOf((n) => reading(n, `"note":"${repeated('\\u00e9', 1_500)}"`), 1_600),
      'readings of escapes',
    ),
    ...both(
      elementsOf((n) => reading(n, `"note":"${'\u20ac'.repeat(500)}"`), 1_600),
      'readings of long characters',
    ),
  ];
}
