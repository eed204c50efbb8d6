/**
 * A dashboard around its panels: numbers them, lays them out in rows from left to right, and adds
 * variables and links.
 */
import type {
  AnnotationQuery,
  DashboardLink,
  GrafanaDashboard,
  GrafanaPanel,
  Variable,
} from './grafanaTypes.ts';
import type { Json, Panel } from './panel.ts';

/** Panels under a heading, from left to right; a nested list is stacked in one column. */
export type Section = { heading?: string; panels: readonly (Panel | readonly Panel[])[] };

type Dashboard = {
  uid: string;
  title: string;
  description: string;
  /** Start of the default time range, such as `now-7d`. */
  from: string;
  /** How often it is read again. */
  refresh?: string;
  /** True for one that its readers import, and save with their own choices. */
  editable?: boolean;
  variables: readonly Variable[];
  annotations?: readonly AnnotationQuery[];
  sections: readonly Section[];
};

const COLUMNS = 24;
export const TAG = 'airseries';

/** The dashboard as Grafana's classic JSON. */
export function dashboard({
  uid,
  title,
  description,
  from,
  refresh = '1m',
  editable = false,
  variables,
  annotations = [],
  sections,
}: Dashboard) {
  return {
    uid,
    title,
    description,
    tags: [TAG],
    schemaVersion: 42,
    editable,
    graphTooltip: 1,
    timezone: '', // Grafana's default, which docker-compose.yml makes the network's
    time: { from, to: 'now' },
    refresh,
    annotations: { list: annotations },
    // with the variables: the language, and the city where both dashboards have one
    links: [
      {
        type: 'dashboards',
        title: 'airseries',
        tags: [TAG],
        asDropdown: false,
        includeVars: true,
        keepTime: true,
      },
    ] satisfies readonly Partial<DashboardLink>[],
    templating: { list: variables },
    panels: layOut(sections),
  } as const satisfies Omit<GrafanaDashboard, 'annotations' | 'links'> & Json;
}

function layOut(sections: readonly Section[]): GrafanaPanel[] {
  const panels: GrafanaPanel[] = [];
  let y = 0;
  const add = (content: GrafanaPanel, x: number, top: number, w: number, h: number) =>
    panels.push({ id: panels.length + 1, gridPos: { x, y: top, w, h }, ...content });
  for (const { heading, panels: columns } of sections) {
    if (heading !== undefined) {
      add({ type: 'row', title: heading, ...{ collapsed: false, panels: [] } }, 0, y, COLUMNS, 1);
      y += 1;
    }
    let [x, height] = [0, 0];
    for (const column of columns.map((one) => [one].flat())) {
      const width = Math.max(...column.map(({ w }) => w));
      if (x + width > COLUMNS) [x, y, height] = [0, y + height, 0];
      let below = 0;
      for (const { w, h, ...content } of column) {
        add(content, x, y + below, w, h);
        below += h;
      }
      x += width;
      height = Math.max(height, below);
    }
    y += height;
  }
  return panels;
}
