/**
 * The committed dashboards: generated from their source, laid out properly, and in line with
 * Grafana's dashboard linter.
 */
import { describe, expect, it } from 'vitest';
import { EPA } from '../../grafana/source/colours.ts';
import { DASHBOARDS } from '../../grafana/source/dashboards.ts';
import { UNIT } from '../../grafana/source/units.ts';
import { whereComplete } from '../support/complete.ts';
import { dashboard, misplaced, names, targetsOf } from './dashboards.ts';
import { faults, parsePromql } from './promql.ts';

const units = new Set<string>(Object.values(UNIT));
const LABELS: Readonly<Record<string, string>> = {
  datasource: 'Data source',
  prometheus_datasource: 'Prometheus data source',
  job: 'Job',
  instance: 'Instance',
};

/**
 * The variable with the data source. Another kind of source has another name, since links carry
 * variables along.
 */
const SOURCE = (name: string) => (name === 'service' ? 'prometheus_datasource' : 'datasource');

describe.each(names)('%s', (name) => {
  const board = dashboard(name);
  const panels = board.panels.filter(({ type }) => type !== 'row');

  it(`dashboard ${name} is what its source generates (npm run generate)`, () => {
    expect(board).toEqual(JSON.parse(JSON.stringify(DASHBOARDS[name])));
  });

  it(`dashboard ${name} is classic JSON with a fixed uid, read-only, and not an export`, () => {
    // Grafana's default, the network's in deploy/compose.test.ts
    expect(board).toMatchObject({
      ...{ schemaVersion: 42, uid: `airseries-${name}`, timezone: '' },
      ...{ editable: false, tags: ['airseries'] },
    });
    expect(JSON.stringify(board)).not.toContain('__inputs');
    expect(board).not.toHaveProperty('id');
  });

  it(`dashboard ${name} uses all its variables, which have labels and follow the time range`, () => {
    const list = board.templating.list;
    const text = JSON.stringify([board.panels, list.map(({ query }) => query)]);
    const sources = JSON.stringify([board.panels, list]);
    for (const variable of list) {
      expect(variable.label, variable.name).toMatch(/^\p{Lu}/u);
      expect(variable.label).toBe(LABELS[variable.name] ?? variable.label);
      if (variable.type === 'query') expect(variable.refresh).toBe(2);
      const used = new RegExp(`\\$\\{?${variable.name}\\b`);
      expect(variable.type === 'datasource' ? sources : text).toMatch(used);
    }
    expect(
      list.filter(({ type }) => type === 'datasource').map(({ name: called }) => called),
    ).toEqual([SOURCE(name)]);
  });

  it(`dashboard ${name} queries only the chosen data source`, () => {
    const type = name === 'service' ? 'prometheus' : 'grafana-postgresql-datasource';
    for (const panel of panels) {
      expect(panel.datasource).toEqual({ type, uid: `$\{${SOURCE(name)}}` });
      expect(panel.targets?.length, panel.title).toBeGreaterThan(0);
      for (const target of panel.targets ?? []) expect(target.datasource).toEqual(panel.datasource);
    }
  });

  it(`dashboard ${name} has a title, a description and a unit in every panel`, () => {
    for (const { title, description = '', fieldConfig } of panels) {
      expect(title).toMatch(/^([\p{Lu}\d]|\$\{)/u);
      expect(title.length, title).toBeLessThan(40);
      expect(description.length, title).toBeGreaterThan(20);
      expect(description, title).toMatch(/\.$/);
      expect(units, title).toContain(fieldConfig?.defaults.unit);
      for (const { properties } of fieldConfig?.overrides ?? []) {
        for (const { id, value } of properties)
          if (id === 'unit') expect(units, title).toContain(value);
      }
    }
  });

  it(`dashboard ${name} has panels without overlaps or gaps, with unique ids and titles`, () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(misplaced(board)).toEqual([]);
  });

  it(`dashboard ${name} has thresholds that rise from a colour without a value`, () => {
    for (const { title, fieldConfig } of panels) {
      const steps = fieldConfig?.defaults.thresholds.steps ?? [];
      expect(steps[0]?.value, title).toBeNull();
      const values = steps.slice(1).map(({ value }) => value ?? Number.NaN);
      expect(values, title).toEqual([...values].sort((a, b) => a - b));
    }
  });

  it(`dashboard ${name} overrides only columns that its queries return`, () => {
    for (const { title, targets = [], fieldConfig } of panels) {
      const text = targets.map(({ rawSql = '' }) => rawSql).join('\n');
      for (const { matcher } of fieldConfig?.overrides ?? []) {
        const word = /^\/\^?(\w+)/.exec(matcher.options)?.[1] ?? '';
        // a matrix has a row and a column
        const names = matcher.id === 'byRegexp' ? [word] : matcher.options.split('\\');
        const there = (name: string) =>
          text.includes(`"${name}"`) ||
          text.includes(`'${name}'`) ||
          new RegExp(`\\b${name}\\b`).test(text);
        expect(
          names.filter((name) => !there(name)),
          `${title}: ${matcher.options}`,
        ).toEqual([]);
      }
    }
  });

  it(`dashboard ${name} links to existing dashboards and columns, and keeps the language, the time range and the choices`, () => {
    expect(board.links).toMatchObject([{ includeVars: true, keepTime: true }]);
    for (const { title, targets = [], fieldConfig } of panels) {
      const text = targets.map(({ rawSql = '' }) => rawSql).join('\n');
      for (const url of [...JSON.stringify(fieldConfig).matchAll(/"url":"((?:[^"\\]|\\.)*)"/g)].map(
        (found) => JSON.parse(`"${found[1]}"`) as string,
      )) {
        const [, uid, query = ''] = /^\/d\/([\w-]+)\?(.*)$/.exec(url) ?? [];
        const there = names.map(dashboard).find((other) => other.uid === uid);
        const variables = there?.templating.list.map((variable) => variable.name);
        const set = [...query.matchAll(/var-(\w+)=/g)].map(([, variable]) => variable);
        expect(url, title).toContain(`&var-locale=$\{locale}&$\{__url_time_range}`);
        expect(set.length, title).toBe(3);
        expect(set.filter((variable) => !variables?.includes(variable ?? ''))).toEqual([]);
        for (const [, column] of query.matchAll(/fields\["([^"]+)"\]/g))
          expect(text, title).toContain(`"${column}"`);
      }
    }
  });
});

describe('PromQL', () => {
  const targets = targetsOf(dashboard('service')).map(({ panel, target }) => ({
    title: panel.title,
    ...target,
  }));

  it.for(targets)(
    'a query of dashboard service uses existing metrics, of the chosen processes: $title $refId',
    whereComplete,
    ({ expr = '', legendFormat = '' }) => {
      expect(faults(expr)).toEqual([]);
      const { metrics, rates } = parsePromql(expr);
      expect(expr.split('job=~"$job", instance=~"$instance"')).toHaveLength(metrics.length + 1);
      // as written: $__rate_interval
      expect(rates.filter((range) => !range.endsWith('[1m]'))).toEqual([]);
      expect(expr).not.toMatch(/\[(?!\$__rate_interval\])/);
      expect(legendFormat).not.toBe('');
      for (const metric of metrics) {
        if (/_(total|bucket|sum|count)$/.test(metric)) expect(expr).toContain(`rate(${metric}{`);
      }
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(', '),
      );
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(grouped).toContain(label);
    },
  );

  it('dashboard service shows every metric', async () => {
    const { DEFINITIONS } = await import('../metrics/metricsTable.ts');
    const all = targets.map(({ expr }) => expr).join('\n');
    expect(DEFINITIONS.map(({ name }) => name).filter((name) => !all.includes(name))).toEqual([]);
  });
});

it('the map has the thresholds of the US EPA, and its colours but for the yellow', () => {
  const hex = ['#00e400', '#f5c518', '#ff7e00', '#ff0000', '#8f3f97', '#7e0023'];
  const channels = hex.map((color) =>
    [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)),
  );
  expect(Object.values(EPA)).toEqual(channels.map((of) => `rgb(${of.join(', ')})`));
  const map = dashboard('network').panels.find(({ type }) => type === 'geomap');
  const steps = map?.fieldConfig?.defaults.thresholds.steps.slice(1);
  expect(steps?.map(({ value }) => value)).toEqual([0, 51, 101, 151, 201, 301]);
  expect(steps?.map(({ color }) => color)).toEqual(Object.values(EPA));
});
