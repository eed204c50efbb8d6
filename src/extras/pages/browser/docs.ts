/**
 * Starts Swagger UI on the page of the API reference, and mends what it draws. Its examples name a
 * station and a region that this network has.
 */
import { fetchJson } from './page.ts';

type Parameter = { example?: unknown };
type OpenApi = { components: { parameters: Record<'id' | 'slug', Parameter> } };
type StationsList = {
  stations: { id: number; status: string }[];
  regions: { slug: string; is_hidden?: boolean; measurement_time: string | null }[];
};

declare const SwaggerUIBundle: (options: object) => void; // of a script of the page

/** The levels of its headings below the title of the page. */
const LEVELS: Readonly<Record<string, string>> = { H2: '2', H3: '2', H4: '3', H5: '4' };

/**
 * Completes what Swagger UI leaves out for keyboards and screen readers: names of choices, the order of
 * headings, focus for what scrolls. It has a link within each button.
 */
function mend(reference: HTMLElement): void {
  const set = (selector: string, name: string, textOf: (element: Element) => string) => {
    for (const element of reference.querySelectorAll(selector))
      element.setAttribute(name, textOf(element));
  };
  set('select:not([aria-label])', 'aria-label', nameOfChoice);
  set('input:not([aria-label])', 'aria-label', (input) => input.getAttribute('placeholder') ?? '');
  set(
    ':is(h2, h3, h4, h5):not([aria-level])',
    'aria-level',
    ({ tagName }) => LEVELS[tagName] ?? '',
  );
  set('pre:not([tabindex])', 'tabindex', () => '0');
  for (const link of reference.querySelectorAll('button a[href]')) link.removeAttribute('href');
}

/** The name of a parameter. */
const nameOfChoice = (select: Element): string =>
  select.closest('tr')?.querySelector('.parameter__name')?.textContent ??
  (select.id === 'servers' ? 'Server' : 'Media type');

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
  const shown = regions.filter((one) => one.is_hidden !== true);
  const measured = shown.find((one) => one.measurement_time !== null);
  slug.example = (measured ?? shown[0])?.slug ?? slug.example;
  const reference = document.querySelector('#reference') as HTMLElement;
  new MutationObserver(() => mend(reference)).observe(reference, {
    childList: true,
    subtree: true,
  });
  SwaggerUIBundle({
    dom_id: '#reference',
    spec,
    filter: true,
    tryItOutEnabled: true,
    deepLinking: true,
    syntaxHighlight: { activated: false }, // its colours have too little contrast
  });
}
