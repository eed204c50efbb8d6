/** Reads Prometheus' alert rules. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { GRAFANA } from './dashboards.ts';

type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string; runbook_url: string; dashboard_url: string };
};

const text = readFileSync(new URL('prometheus/rules/airseries.yml', GRAFANA), 'utf8');
export const prometheusRules: Rule[] = parse(text).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
