/** The API in a few lines of Markdown, for language models and their readers (llmstxt.org). */
import { ENDPOINTS, LOCALES } from './endpoints.ts';
import { keyOf, PARAMETERS } from './parameters.ts';

/** `license`: the licence of the data; empty: unknown. */
export function makeLlmsText({ license }: { license: string } = { license: '' }): string {
  const endpoints = Object.values(ENDPOINTS).map(
    ({ path, summary }) => `- GET ${path}: ${summary}`,
  );
  const units = PARAMETERS.map(({ name, unit }) => `${keyOf(name)} in ${unit}`);
  return `# airseries

> Air-quality and weather measurements of monitoring stations, cities and districts: current values and history, as JSON that anyone may read.

- [OpenAPI 3.1](/openapi.json): every field with its meaning and unit, and further endpoints
${endpoints.join('\n')}
- locale: ${LOCALES.join(', ')}; ids and slugs are in stations.json; there are no query parameters
- units: ${units.join(', ')}; aqi is US EPA's index of PM2.5 and PM10
- times are local with their offset; unknown values are null; a bucket of a history without readings is absent
- send a User-Agent that names your project; credit the site that runs this API; licence of the data: ${license === '' ? 'ask the site' : license}
`;
}
