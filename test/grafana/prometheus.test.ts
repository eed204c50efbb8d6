/**
 * Prometheus' alert rules: parsed here, and checked by promtool, as the configuration is, where
 * that is installed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFINITIONS } from '../metrics/metricsTable.ts';
import { whereComplete } from '../support/complete.ts';
import { needs } from '../support/tools.ts';
import { GRAFANA } from './dashboards.ts';
import { faults, SERIES } from './promql.ts';
import { prometheusRules } from './provisioning.ts';
import { linksOf } from './runbooks.ts';

const FOLDER = new URL('prometheus/', GRAFANA).pathname;
const read = (path: string) => parse(readFileSync(`${FOLDER}${path}`, 'utf8'));

const TESTS = ['tests/airseries.yml', 'tests/days.yml'];

/** Asks for no metric. */
const WATCHDOG = 'AirseriesWatchdog';

describe('the alert rules', () => {
  it.for(prometheusRules.filter(({ alert }) => alert !== WATCHDOG))(
    'the alert $alert uses existing metrics of any job, and has a runbook and links',
    whereComplete,
    ({ alert, expr, labels, annotations, for: wait = '0m' }) => {
      expect(faults(expr)).toEqual([]);
      expect(expr).not.toMatch(/\bjob=/);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(20);
      expect(annotations.runbook.length).toBeGreaterThan(60);
      expect(annotations.runbook).not.toContain('\n');
      const board =
        alert === 'AirseriesProviderOffline' ? 'airseries-network' : 'airseries-service';
      expect(annotations).toMatchObject(linksOf(alert, '{{ $externalLabels.grafana }}', board));
      expect(Number.parseInt(wait, 10)).toBeLessThanOrEqual(10);
    },
  );

  it('every alert rule is tested, both firing and not firing', () => {
    type Case = { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] };
    const cases: Case[] = TESTS.flatMap((file) => read(file).tests).flatMap(
      (test: { alert_rule_test: Case[] }) => test.alert_rule_test,
    );
    const names = [WATCHDOG, ...cases.map(({ alertname }) => alertname)];
    expect(prometheusRules.map(({ alert }) => alert).sort()).toEqual([...new Set(names)].sort());
    for (const { alert } of prometheusRules) {
      if (alert === WATCHDOG) continue; // it always fires
      const tested = cases
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => exp_alerts.length > 0);
      expect([...new Set(tested)].sort(), alert).toEqual([false, true]);
    }
    const named = cases.flatMap(({ alertname, exp_alerts }) =>
      exp_alerts.some(({ exp_labels }) => 'instance' in exp_labels) ? [alertname] : [],
    );
    expect([...new Set(named)], 'sent again for each new process').toEqual(['AirseriesDown']);
  });

  it('the parser that checks alert rules finds mistakes', () => {
    expect(faults('sum(rate(airseries_readings_total[5m])')).toContain('cannot be parsed');
    expect(faults('airseries_nonsense > 1')).toEqual(['no metric airseries_nonsense']);
    expect(faults('sum by (colour) (airseries_stations)')).toEqual(['no label colour']);
    expect(faults('airseries_stations{reason="x"}')).toEqual(['no label reason']);
  });

  it('alert rules use standard metrics that prom-client exports', async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const there = new Set([...(await registry.getMetricsAsJSON()).map(({ name }) => name), 'up']);
    const ours = new Set(
      DEFINITIONS.flatMap(
        ({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] as string[],
      ),
    );
    const others = [...SERIES.keys()].filter((name) => !ours.has(name) && !there.has(name));
    expect(others.filter((name) => !name.startsWith('patroni_'))).toEqual([]);
  });
});

describe('promtool', needs('promtool'), () => {
  const succeeds = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', words, {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout + stderr).toContain('SUCCESS');
  };
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'rules/airseries.yml'],
  ])('promtool succeeds: %s %s %s', succeeds);
  // in npm test: each expression, its metrics and labels; the workflow has promtool test the rules
  it.each(TESTS)('promtool succeeds: test rules %s', needs('all'), (file) =>
    succeeds('test', 'rules', file),
  );
});
