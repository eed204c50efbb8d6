/** Traps of Grafana that a panel fell into once, each as a property of all panels. */
import { describe, expect, it } from 'vitest';
import { CATEGORIES, LINE, LINES, NOTHING } from '../../grafana/source/colours.ts';
import { dashboard, names, type Override, type Panel, type Step } from './dashboards.ts';

/** Colours that say nothing about the air or the service. */
const NEUTRAL = [NOTHING, LINE, 'transparent', 'text'];

type Named = { what: string; panel: Panel };

const all: Named[] = names.flatMap((name) =>
  dashboard(name)
    .panels.filter(({ type }) => type !== 'row')
    .map((panel) => ({ what: `${name}: ${panel.title}`, panel })),
);
const ofType = (type: string) => all.filter(({ panel }) => panel.type === type);
const overrides = ({ fieldConfig }: Panel): Override[] => fieldConfig?.overrides ?? [];
const property = (panel: Panel, column: string, id: string): unknown =>
  overrides(panel)
    .filter(({ matcher }) => matcher.options === column)
    .flatMap(({ properties }) => properties)
    .find((one) => one.id === id)?.value;
const sqlOf = ({ targets = [] }: Panel): string =>
  targets.map(({ rawSql = '' }) => rawSql).join('\n');
/** The columns that a query returns, in order. */
const columnsOf = (panel: Panel): string[] => [
  ...new Set([...sqlOf(panel).matchAll(/ as "([^"]+)"/g)].map(([, name = '']) => name)),
];
const isHidden = (panel: Panel, column: string): boolean =>
  (property(panel, column, 'custom.hideFrom') as { viz?: boolean } | undefined)?.viz === true;
const thresholds = (panel: Panel): Step[][] => [
  panel.fieldConfig?.defaults.thresholds.steps ?? [],
  ...overrides(panel).flatMap(({ properties }) =>
    properties
      .filter(({ id }) => id === 'thresholds')
      .map(({ value }) => (value as { steps: Step[] }).steps),
  ),
];

/** One test of a property of many panels, which names all that lack it. */
const holds = (title: string, panels: readonly Named[], check: (one: Named) => void) =>
  it(title, () => {
    expect(panels).not.toEqual([]);
    const lacking = panels.flatMap((one) => {
      try {
        check(one);
        return [];
      } catch (error) {
        return [`${one.what}: ${error instanceof Error ? error.message : error}`];
      }
    });
    expect(lacking).toEqual([]);
  });

describe('colours', () => {
  holds('an unknown value is not drawn in a colour that judges', all, ({ panel }) => {
    for (const steps of thresholds(panel)) expect(NEUTRAL).toContain(steps[0]?.color);
    if (['stat', 'table', 'geomap'].includes(panel.type))
      expect(panel.fieldConfig?.defaults.noValue).toBeTruthy();
  });

  holds('no colour is taken for a transparent one', all, ({ panel }) => {
    expect(JSON.stringify(panel)).not.toMatch(/#[0-9a-f]{6}00"|#[0-9a-f]{4}00"/i);
  });

  holds(
    'no line about the air has a colour of the palette, which resembles the categories',
    all.filter(
      ({ panel }) =>
        ['timeseries', 'trend', 'barchart'].includes(panel.type) && sqlOf(panel) !== '',
    ),
    ({ panel }) => {
      if (sqlOf(panel).includes('l.line')) {
        const styles = overrides(panel).map(({ matcher, properties }) => {
          const [color, ...more] = properties.map(({ value }) => JSON.stringify(value));
          return [matcher.options, color + more.join('')];
        });
        const lines = styles.filter(([options = '']) => options.includes('line='));
        const most = Number(/limit (\d+)\n/.exec(sqlOf(panel))?.[1]);
        expect(lines.map(([options]) => options)).toEqual(
          Array.from({ length: most }, (_, n) => `/line="${String(n + 1).padStart(2, '0')}"/`),
        );
        expect(new Set(styles.map(([, style]) => style)).size).toBe(styles.length);
        // as many as there are colours need no second kind of line
        if (most <= LINES.length) expect(JSON.stringify(lines)).not.toContain('dash');
        return;
      }
      const [over] = columnsOf(panel);
      for (const name of columnsOf(panel).filter((one) => one !== over))
        expect(property(panel, name, 'color') ?? isHidden(panel, name), name).toBeTruthy();
    },
  );

  holds(
    'a series has one colour, and over bands a colour outside the palette',
    ofType('timeseries'),
    ({ panel }) => {
      const { color, custom } = panel.fieldConfig?.defaults ?? {};
      // by thresholds, a series would have the colour of its last value
      expect(color?.mode).toBe('palette-classic');
      if (custom?.thresholdsStyle?.mode === 'off') return;
      const series = columnsOf(panel).filter((name) => name !== 'time');
      expect(series).not.toContain('metric');
      for (const name of series)
        expect(property(panel, name, 'color'), name).toMatchObject({ mode: 'fixed' });
    },
  );

  holds('a mapping belongs to one column, unless all columns are indices', all, ({ panel }) => {
    if ((panel.fieldConfig?.defaults.mappings ?? []).length > 0) {
      // a panel with texts of its own maps none to a category: panels.ts has them
      if (!JSON.stringify(panel.fieldConfig).includes(CATEGORIES[0].name)) return;
      const values = columnsOf(panel).filter((name) => !['time', 'row'].includes(name));
      if (values.includes('of'))
        values.splice(0, values.length, ...(sqlOf(panel).match(/^ {2}\(\d/gm) ?? [])); // tiles
      expect(sqlOf(panel).match(/api\.aqi_text|\bn\."?european_/g)?.length).toBe(
        Math.max(1, values.length),
      );
    }
  });
});

describe('the index', () => {
  holds('the index is shown with its category', all, ({ panel }) => {
    const shown = [...sqlOf(panel).matchAll(/(?<![\w(])[bchr]\.aqi as "([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    // what the map colours by, which its tooltip leaves out
    expect(shown.filter((name) => name !== 'index')).toEqual([]);
    expect(sqlOf(panel)).not.toMatch(/max\(c\.aqi\) as/);
  });

  holds(
    'the index is shown in the colours of its categories',
    all.filter(({ panel }) => sqlOf(panel).includes('api.aqi_text')),
    ({ panel }) => {
      const mappings = [
        ...(panel.fieldConfig?.defaults.mappings ?? []),
        ...overrides(panel).flatMap(({ properties }) =>
          properties.filter(({ id }) => id === 'mappings').flatMap(({ value }) => value),
        ),
      ] as { options: { pattern: string; result: { color: string } } }[];
      if (panel.type === 'geomap') return; // coloured by its thresholds
      const shade = ({ stat: 'ink', table: 'cell' } as const)[panel.type] ?? 'color';
      const found = CATEGORIES.map(
        ({ name }) =>
          mappings.find(({ options }) =>
            new RegExp(options.pattern.slice(1, -1)).test(`7 · ${name}`),
          )?.options.result.color,
      );
      expect(found).toEqual(CATEGORIES.map((category) => category[shade]));
    },
  );
});

describe('series', () => {
  holds(
    'a panel with a range shows it at the default time',
    all.filter(({ panel }) => /range/.test(panel.title)),
    ({ what, panel }) => {
      const from = /^now-(\d+)d$/.exec(dashboard(what.split(':')[0] ?? '').time.from)?.[1];
      expect(Number(from)).toBeGreaterThan(15); // days: hours have no range
      expect(panel.description).toContain('hours have none');
    },
  );

  holds(
    'a panel with a time range of its own says what a fixed time range does',
    all.filter(({ panel }) => panel.timeFrom !== undefined),
    ({ panel }) => expect(panel.description).toMatch(/fixed time range/),
  );

  holds(
    'a difference that can be below 0 has no minimum on its axis',
    all.filter(({ panel }) =>
      panel.targets?.some(({ expr = '' }) => / - /.test(expr) && !/^abs|time\(\) - /.test(expr)),
    ),
    ({ panel }) => expect(panel.fieldConfig?.defaults).not.toHaveProperty('min'),
  );
});

holds('a table hides the columns that only links need', ofType('table'), ({ panel }) => {
  const inLinks = [...JSON.stringify(panel.fieldConfig).matchAll(/fields\[\\"([^"\\]+)\\"\]/g)].map(
    ([, name = '']) => name,
  );
  const helpers = columnsOf(panel).filter(
    (name) => inLinks.includes(name) || /^id$|^style$|slug$/.test(name),
  );
  for (const name of helpers) expect(isHidden(panel, name), name).toBe(true);
});

holds(
  'no tile of an idle healthy service says that there are no data',
  ofType('stat').filter(
    ({ what, panel }) =>
      what.startsWith('service:') && panel.fieldConfig?.defaults.noValue === 'no data',
  ),
  ({ panel }) =>
    // what every process reports
    expect(panel.targets?.[0]?.expr).toMatch(
      /\(up\{|\(airseries_worker\{| or 0 \* sum\(airseries_build_info\{/,
    ),
);

it('a variable means the same on every dashboard, because links carry it along', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { name, type, query } of names.flatMap((one) => dashboard(one).templating.list)) {
    kinds.set(
      name,
      (kinds.get(name) ?? new Set()).add(type === 'datasource' ? JSON.stringify(query) : type),
    );
  }
  expect([...kinds].filter(([, of]) => of.size > 1).map(([name]) => name)).toEqual([]);
});
