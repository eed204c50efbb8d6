/** The frame around panels: rows of them laid out from left to right, numbered, under variables and links. */
import type { Json, Panel } from './panel.ts';

/** Panels under a heading, from left to right; a list among them stands as a column, one below the other. */
export type Section = { heading?: string; panels: readonly (Panel | readonly Panel[])[] };

type Dashboard = {
  uid: string;
  title: string;
  description: string;
  /** How far back it looks when opened. */
  from: string;
  variables: readonly Json[];
  sections: readonly Section[];
};

const COLUMNS = 24;
export const TAG = 'airseries';

export function dashboard({ uid, title, description, from, variables, sections }: Dashboard): Json {
  return {
    uid,
    title,
    description,
    tags: [TAG],
    schemaVersion: 42,
    editable: false,
    graphTooltip: 1,
    timezone: 'browser',
    time: { from, to: 'now' },
    refresh: '1m',
    annotations: { list: [] },
    links: [
      { type: 'dashboards', title: 'airseries', tags: [TAG], asDropdown: false, includeVars: false, keepTime: true },
    ],
    templating: { list: variables },
    panels: laidOut(sections),
  };
}

function laidOut(sections: readonly Section[]): Json[] {
  const placed: Json[] = [];
  let y = 0;
  const place = (content: Json, x: number, top: number, w: number, h: number) =>
    placed.push({ id: placed.length + 1, gridPos: { x, y: top, w, h }, ...content });
  for (const { heading, panels } of sections) {
    if (heading !== undefined) {
      place({ type: 'row', title: heading, collapsed: false, panels: [] }, 0, y, COLUMNS, 1);
      y += 1;
    }
    let [x, height] = [0, 0];
    for (const column of panels.map((one) => [one].flat())) {
      const width = Math.max(...column.map(({ w }) => w));
      if (x + width > COLUMNS) [x, y, height] = [0, y + height, 0];
      let below = 0;
      for (const { w, h, ...content } of column) {
        place(content, x, y + below, w, h);
        below += h;
      }
      x += width;
      height = Math.max(height, below);
    }
    y += height;
  }
  return placed;
}
