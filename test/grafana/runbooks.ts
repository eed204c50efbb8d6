/** The sections of grafana/runbooks.md, and where alerts link to them. */
import { readFileSync } from 'node:fs';
import { GRAFANA } from './dashboards.ts';

type Section = { alert: string; text: string; commands: string[] };

/** In order; each is the panel of that number in the dashboard Runbooks. */
export const SECTIONS: readonly Section[] = readFileSync(new URL('runbooks.md', GRAFANA), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    alert: section.split('\n')[0] ?? '',
    text: section,
    commands: [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands),
  }));

/** As an alert has them: `grafana` is how it writes Grafana's address. */
export const linksOf = (alert: string, grafana: string, dashboard: string) => ({
  runbook_url: `${grafana}d/airseries-runbooks?viewPanel=panel-${SECTIONS.findIndex((of) => of.alert === alert) + 1}`,
  dashboard_url: `${grafana}d/${dashboard}`,
});
