/** Reads the provisioning files. */
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
