/**
 * Starts Swagger UI on the page of the API reference. Its examples name a station and a region that
 * this network has.
 */
import { fetchJson } from './page.ts';

type Parameter = { example?: unknown };
type OpenApi = { components: { parameters: Record<'id' | 'slug', Parameter> } };
type StationsList = {
  stations: { id: number; status: string }[];
  regions: { slug: string; is_hidden?: boolean }[];
};

declare const SwaggerUIBundle: (options: object) => void; // of a script of the page

const [openApi, list] = await Promise.all([
  fetchJson<OpenApi>('/openapi.json'),
  fetchJson<StationsList>('/en/air-quality-app/v1/stations.json').catch(() => undefined),
]);
if (openApi !== undefined) {
  const { data: spec } = openApi;
  const { stations = [], regions = [] } = list?.data ?? {};
  const { id, slug } = spec.components.parameters;
  id.example =
    (stations.find(({ status }) => status === 'online') ?? stations[0])?.id ?? id.example;
  slug.example = regions.find((one) => one.is_hidden !== true)?.slug ?? slug.example;
  document.documentElement.classList.toggle(
    'dark-mode',
    matchMedia('(prefers-color-scheme: dark)').matches,
  );
  SwaggerUIBundle({
    dom_id: '#reference',
    spec,
    filter: true,
    tryItOutEnabled: true,
    deepLinking: true,
  });
}
