/** Grafana's provisioning: data sources and rules refer to each other correctly. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { POSTGRES, UIDS } from '../../grafana/source/variables.ts';
import { dashboard, GRAFANA, names } from './dashboards.ts';
import { provisioned, provisioningFiles, ruleGroups, stationRules } from './provisioning.ts';
import { linksOf } from './runbooks.ts';

const texts = provisioningFiles().map((path) =>
  readFileSync(new URL(`provisioning/${path}`, GRAFANA), 'utf8'),
);

// deploy/compose.test.ts compares the variables with the given ones
it('provisioning uses $ only for environment variables and one macro', () => {
  const text = texts.map((one) => one.replace(/^\s*#.*$/gm, '')).join('\n');
  const used = [...text.matchAll(/\$[^A-Z]\w*/g)].map(([name]) => name);
  expect(new Set(used)).toEqual(new Set(['$__timeTo']));
});

/**
 * A value as Grafana reads it (pkg/services/provisioning/values): first its own expansion,
 * `${NAME}`, and then the expansion of Go, `$NAME` and `${NAME}`.
 */
function expanded(value: string, environment: Record<string, string>): string {
  const lookUp = (_: string, ...names: (string | undefined)[]) =>
    environment[names.find(Boolean) ?? ''] ?? '';
  const first = (part: string) => part.replace(/\$(?:__env)?\{([^}]+)\}/g, lookUp);
  const second = (part: string) => part.replace(/\$(?:\{([^}]+)\}|(\w+))/g, lookUp);
  return value.split('$$').map(first).map(second).join('$');
}

it('provisioning leaves any password as it is, by the rules that Grafana documents', () => {
  const AIRSERIES_DATABASE_PASSWORD = String.raw`it's "a" $password $$ ${'$'}{HOME} \ x`;
  const environment = { AIRSERIES_DATABASE_PASSWORD, HOME: '/home' };
  const password: string = provisioned('datasources/airseries.yaml').datasources[0].secureJsonData
    .password;
  expect(expanded(password, environment)).toBe(AIRSERIES_DATABASE_PASSWORD);
  // the other spelling loses what looks like a variable in it
  expect(expanded(`\${AIRSERIES_DATABASE_PASSWORD}`, environment)).toContain(`it's "a"  `);
});

it('provisioning has the data sources that dashboards select by default', () => {
  const sources: { uid: string; type: string; jsonData: object }[] = provisioned(
    'datasources/airseries.yaml',
  ).datasources;
  expect(sources.map(({ uid, type }) => [type, uid])).toEqual(Object.entries(UIDS));
  expect(sources[0]).toMatchObject({
    type: POSTGRES,
    jsonData: { timescaledb: true, postgresVersion: 1500 },
  });
  expect(provisioned('dashboards/airseries.yaml').providers[0].options.path).toBe(
    '/var/lib/grafana/dashboards',
  );
});

// a notification policy would replace an existing one
it('provisioning has two rules about stations, one contact point, and no notification policy', () => {
  const points: { name: string }[] = provisioned('alerting/contact-points.yaml').contactPoints;
  expect(points.map(({ name }) => name)).toEqual(['airseries']);
  const rules = stationRules();
  expect(rules.map(({ title }) => title)).toEqual(['Station offline', 'Station suspect']);
  for (const rule of rules) {
    expect(rule.notification_settings.receiver).toBe('airseries');
    expect(rule.noDataState).toBe('OK'); // no row: all is well
    expect(rule.data.map(({ refId, datasourceUid }) => [refId, datasourceUid])).toEqual([
      ['A', UIDS[POSTGRES]],
      ['C', '__expr__'],
    ]);
    expect(rule.condition).toBe('C');
    expect(rule.data[1]?.model).toMatchObject({ type: 'threshold', expression: 'A' });
    expect(rule.annotations.runbook?.length).toBeGreaterThan(60);
    expect(rule.annotations).toMatchObject(
      linksOf(rule.title, '{{ externalURL }}', rule.dashboardUid),
    );
    expect(rule.sql).toContain(
      `api.station_${rule.uid.replace('airseries-', '')}($__timeTo()::timestamptz)`,
    );
    for (const text of Object.values(rule.annotations)) {
      for (const [, label] of text.matchAll(/\.Labels\.(\w+)/g))
        expect(rule.sql).toContain(`"${label}"`);
    }
    const linked = names.map(dashboard).find(({ uid }) => uid === rule.dashboardUid);
    const panel = linked?.panels.find(({ id }) => id === rule.panelId);
    expect(panel?.targets?.[0]?.rawSql).toContain(
      `api.${rule.uid.replace('airseries-', 'station_')}(`,
    );
  }
  expect(JSON.stringify(provisioningFiles().map(provisioned))).not.toContain('"policies"');
});

it('an alert about a station is sent within ten minutes of its state becoming visible', () => {
  const minutes = (text: string) =>
    text.endsWith('s') ? Number.parseInt(text, 10) / 60 : Number.parseInt(text, 10);
  for (const { interval, rules } of ruleGroups()) {
    for (const rule of rules) {
      // seen at the next evaluation, sent at the first one after `for`, in its own group
      const { group_wait: wait = '30s', group_by: groups } = rule.notification_settings;
      expect(groups).toEqual(['...']);
      expect(2 * minutes(interval) + minutes(rule.for) + minutes(wait)).toBeLessThan(10);
    }
  }
});
