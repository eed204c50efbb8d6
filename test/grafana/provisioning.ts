/** Reads the provisioning files, and the alert rules of Prometheus. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { GRAFANA } from './dashboards.ts';

const FOLDER = new URL('provisioning/', GRAFANA);

export const provisioningFiles = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.yaml'),
  );

export const provisioned = (path: string) => parse(readFileSync(new URL(path, FOLDER), 'utf8'));

type Query = {
  refId: string;
  datasourceUid: string;
  model: { rawSql?: string; type?: string; expression?: string };
};
type Rule = {
  uid: string;
  title: string;
  condition: string;
  for: string;
  noDataState: string;
  dashboardUid: string;
  panelId: number;
  annotations: Record<string, string>;
  notification_settings: { receiver: string; group_wait?: string; group_by?: string[] };
  data: Query[];
};

export const ruleGroups = (): { interval: string; rules: Rule[] }[] =>
  provisioned('alerting/stations.yaml').groups;

/** The rules about stations, each with its SQL. */
export const stationRules = (): (Rule & { sql: string })[] =>
  ruleGroups()
    .flatMap(({ rules }) => rules)
    .map((rule) => ({
      ...rule,
      sql: rule.data.find(({ model }) => model.rawSql !== undefined)?.model.rawSql ?? '',
    }));

type PrometheusRule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string; runbook_url: string; dashboard_url: string };
};

const text = readFileSync(new URL('prometheus/rules/airseries.yml', GRAFANA), 'utf8');
export const prometheusRules: PrometheusRule[] = parse(text).groups.flatMap(
  ({ rules }: { rules: PrometheusRule[] }) => rules,
);
