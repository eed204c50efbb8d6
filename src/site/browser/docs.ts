/** Starts Swagger UI on the page of the API reference. What it offers to try is of a station and a region that this network has. */
import { fetchJson } from './page.ts';

type Parameter = { example?: unknown };
type OpenApi = { components: { parameters: Record<'id' | 'slug', Parameter> } };
type StationsList = { stations: { id: number; status: string }[]; regions: { slug: string; is_hidden?: boolean }[] };

declare global {
  interface Window {
    SwaggerUIBundle?: (options: object) => void;
  }
}

const [openApi, list] = await Promise.all([
  fetchJson<OpenApi>('/openapi.json'),
  fetchJson<StationsList>('/en/air-quality-app/v1/stations.json').catch(() => undefined),
]);
if (openApi !== undefined) start(openApi.data, list?.data);

function start(spec: OpenApi, network: StationsList | undefined): void {
  const { id, slug } = spec.components.parameters;
  const station = network?.stations.find(({ status }) => status === 'online') ?? network?.stations[0];
  id.example = station?.id ?? id.example;
  slug.example = network?.regions.find((one) => one.is_hidden !== true)?.slug ?? slug.example;
  document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
  window.SwaggerUIBundle?.({ dom_id: '#reference', spec, filter: true, tryItOutEnabled: true, deepLinking: true });
}
