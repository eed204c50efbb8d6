/** Draws the panels of one dashboard, in the browser, with the components and the field settings of Grafana. */

import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  createTheme,
  type DataFrame,
  dateTime,
  EventBusSrv,
  FieldConfigOptionsRegistry,
  type FieldConfigPropertyItem,
  FieldMatcherID,
  fieldMatchers,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
  type InterpolateFunction,
  standardTransformers,
  standardTransformersRegistry,
  systemDateFormats,
  ThemeContext,
  toDataFrame,
  transformDataFrame,
  VizOrientation,
} from '@grafana/data';
import {
  BigValue,
  GlobalStyles,
  PanelChrome,
  PanelContextProvider,
  preparePlotFrame,
  TimeSeries,
  VizRepeater,
} from '@grafana/ui';
import type { XYFieldMatchers } from '@grafana/ui/dist/types/graveyard/GraphNG/types';
import { TableNG } from '@grafana/ui/unstable';
import { createRoot } from 'react-dom/client';
import { firstValueFrom } from 'rxjs';
import type { Drawn, Page } from './gather.ts';

declare global {
  interface Window {
    drawn: Page;
  }
}

/** Grafana's own font, for the weights of which Grafana would serve files; it has to be there before text is measured. */
const FONT = [400, 500]
  .map((weight) => `@font-face { font-family: Inter; font-weight: ${weight}; src: url(${inter}); }`)
  .join('');
// as docker-compose.yml sets them
systemDateFormats.update({
  fullDate: systemDateFormats.fullDate,
  interval: { ...systemDateFormats.interval, hour: 'MM-DD HH:mm', day: 'MM-DD' },
  useBrowserLocale: false,
});
const COLUMN = 59.5;
const ROW = 38;
const theme = createTheme({
  colors: { mode: new URLSearchParams(location.search).has('light') ? 'light' : 'dark' },
});
const { timeZone, title, panels } = window.drawn;

/** Only labels are asked for, in names of series. */
const replaceVariables: InterpolateFunction = (text, scoped) =>
  text.replace(
    /\$\{__field\.labels\.(\w+)\}/g,
    (_, label) => scoped?.__dataContext?.value?.field?.labels?.[label] ?? '',
  );

/** Every setting that a panel or an override has, taken as it is. */
const registry = (panel: Drawn) =>
  new FieldConfigOptionsRegistry(() => {
    const { defaults, overrides } = panel.fieldConfig ?? {
      defaults: { custom: {} },
      overrides: [],
    };
    const ids = new Set([
      ...Object.keys(defaults).filter((id) => id !== 'custom'),
      ...Object.keys(defaults.custom).map((id) => `custom.${id}`),
      ...overrides.flatMap(({ properties }) => properties.map(({ id }) => id)),
    ]);
    return [...ids].map((id) => {
      const isCustom = id.startsWith('custom.');
      return {
        id,
        path: isCustom ? id.slice('custom.'.length) : id,
        isCustom,
        name: id,
        process: (value, { field }) =>
          id === 'displayName' && value ? replaceVariables(value, field?.state?.scopedVars) : value,
        shouldApply: () => true,
      } as unknown as FieldConfigPropertyItem;
    });
  });

/** JSON has no infinity: the first step of thresholds is null there. */
const withInfinity = (text: string) =>
  JSON.parse(text, (key, value) =>
    key === 'steps'
      ? value.map((step: { value: number | null }) => ({ ...step, value: step.value ?? -Infinity }))
      : value,
  );

standardTransformersRegistry.setInit(() =>
  [standardTransformers.groupingToMatrixTransformer].map(
    (transformation) =>
      ({
        ...transformation,
        transformation: () => transformation,
        imageDark: '',
        imageLight: '',
      }) as never,
  ),
);

/** The results of the panel's queries, transformed as it asks for; what no component here draws is left as it is. */
async function transformed(panel: Drawn): Promise<DataFrame[]> {
  const data = panel.frames.map((fields) =>
    toDataFrame({ fields: fields.map((field) => ({ ...field, config: {} })) }),
  );
  if (!['table', 'stat'].includes(panel.type) || panel.transformations === undefined) return data;
  return firstValueFrom(
    transformDataFrame([...panel.transformations], data, { interpolate: (text) => text }),
  );
}
const results = new Map(
  await Promise.all(panels.map(async (panel) => [panel, await transformed(panel)] as const)),
);

function framesOf(panel: Drawn): DataFrame[] {
  const frames = applyFieldOverrides({
    data: results.get(panel) ?? [],
    fieldConfig: withInfinity(JSON.stringify(panel.fieldConfig)),
    fieldConfigRegistry: registry(panel),
    replaceVariables,
    theme,
    timeZone,
  });
  cacheFieldDisplayNames(frames);
  return frames;
}

/** Grafana makes a gap a null, unless the settings say otherwise; the frames of one panel share their times here. */
function Chart({ panel, width, height }: { panel: Drawn; width: number; height: number }) {
  const frames = framesOf(panel);
  const { legend, tooltip, xField } = panel.options as never as {
    legend: never;
    tooltip: never;
    xField?: string;
  };
  const byColumn = (all: DataFrame[], fields: XYFieldMatchers) =>
    preparePlotFrame(all, { ...fields, x: fieldMatchers.get(FieldMatcherID.byName).get(xField) });
  return (
    <TimeSeries
      frames={frames}
      structureRev={1}
      width={width}
      height={height}
      timeRange={{ from: dateTime(panel.from), to: dateTime(panel.to), raw: { from: '', to: '' } }}
      timeZone={timeZone}
      legend={legend}
      options={{ tooltip }}
      {...(xField === undefined ? {} : { preparePlotFrame: byColumn })}
    />
  );
}

function Stat({ panel, width, height }: { panel: Drawn; width: number; height: number }) {
  const { reduceOptions, ...options } = panel.options as never as { reduceOptions: never };
  const shown = getFieldDisplayValues({
    fieldConfig: withInfinity(JSON.stringify(panel.fieldConfig)),
    reduceOptions,
    replaceVariables: (text: string) => text,
    theme,
    data: framesOf(panel),
    timeZone,
  });
  return (
    <VizRepeater
      source={panel}
      getValues={() => shown}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      autoGrid
      itemSpacing={3}
      orientation={VizOrientation.Auto}
      renderCounter={0}
      width={width}
      height={height}
      renderValue={({ value, ...size }) => (
        <BigValue
          value={value.display}
          theme={theme}
          disableWideLayout
          {...size}
          {...(options as object)}
        />
      )}
    />
  );
}

function Content({ panel, width, height }: { panel: Drawn; width: number; height: number }) {
  const [frame] = panel.frames;
  const note = { color: theme.colors.text.secondary, padding: 8 };
  if (frame === undefined) return <p style={note}>No data</p>;
  if (panel.type === 'timeseries' || panel.type === 'trend')
    return <Chart {...{ panel, width, height }} />;
  if (panel.type === 'stat') return <Stat {...{ panel, width, height }} />;
  if (panel.type === 'table') {
    const [data] = framesOf(panel);
    return data === undefined ? null : (
      <TableNG
        data={data}
        width={width}
        height={height}
        fieldConfig={panel.fieldConfig as never}
        structureRev={1}
      />
    );
  }
  return (
    <p style={note}>
      A {panel.type} of {frame[0]?.values.length ?? 0} rows. Only Grafana itself can draw it.
    </p>
  );
}

function Dashboard() {
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <style>{FONT}</style>
      <PanelContextProvider value={{ eventBus: new EventBusSrv() } as never}>
        <h3 style={{ margin: '12px 16px', height: 24 }}>{title}</h3>
        <div style={{ position: 'relative', margin: '0 6px' }}>
          {panels.map((panel) => {
            const { x, y, w, h } = panel.gridPos;
            const [width, height] = [w * COLUMN - 8, h * ROW - 8];
            return (
              <div
                key={panel.id}
                style={{ position: 'absolute', left: x * COLUMN, top: y * ROW, width, height }}
              >
                {panel.type === 'row' ? (
                  <h5 style={{ margin: '6px 8px' }}>{panel.title}</h5>
                ) : (
                  <PanelChrome
                    title={panel.title}
                    description={panel.description ?? ''}
                    width={width}
                    height={height}
                  >
                    {(innerWidth, innerHeight) => (
                      <Content panel={panel} width={innerWidth} height={innerHeight} />
                    )}
                  </PanelChrome>
                )}
              </div>
            );
          })}
        </div>
      </PanelContextProvider>
    </ThemeContext.Provider>
  );
}

for (const weight of ['400', '500'])
  document.fonts.add(await new FontFace('Inter', `url(${inter})`, { weight }).load());
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Dashboard />);
