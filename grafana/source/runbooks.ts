/**
 * The dashboard Runbooks: the sections of runbooks.md, a panel for each alert, so that an alert can
 * link to what to do.
 */
import { readFileSync } from 'node:fs';
import { dashboard } from './dashboard.ts';
import type { Panel } from './panel.ts';

const text = readFileSync(new URL('../runbooks.md', import.meta.url), 'utf8');

/** Its sections by their heading, which is the name of an alert. */
const [introduction = '', ...sections] = text.split(/^## /m);

/** Grid rows for text, of which two lines fit into one; the page is as wide as 160 characters. */
const rowsFor = (content: string) => 2 + Math.ceil(content.split('\n').length * 0.62);

function textPanel(title: string, content: string): Panel {
  return {
    type: 'text',
    title,
    w: 24,
    h: rowsFor(content),
    options: { mode: 'markdown', content },
  };
}

const panels = sections.map((section) => {
  const [title = '', ...lines] = section.split('\n');
  return textPanel(title, lines.join('\n').trim());
});

export const runbooks = dashboard({
  uid: 'airseries-runbooks',
  title: 'Runbooks',
  description: introduction
    .replace(/^# .*$/m, '')
    .replace(/\s+/g, ' ')
    .trim(),
  from: 'now-6h',
  variables: [],
  sections: [{ panels }],
});
