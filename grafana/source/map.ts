/** The map. */
import type { MapOptions, Some } from './grafanaTypes.ts';
import { type Common, type Panel, panel } from './panel.ts';

/**
 * A marker for each row at its `latitude` and `longitude`, coloured by the column `by`. The column
 * `label` is a layer of its own in the colour of text: a label in the colour of its marker cannot
 * be read.
 */
export function map({ by, label, ...common }: Common & { by: string; label: string }): Panel {
  const location = { mode: 'coords', latitude: 'latitude', longitude: 'longitude' } as const;
  const options = {
    view: { id: 'fit', lat: 0, lon: 0, zoom: 12, padding: 10, allLayers: true },
    basemap: { type: 'default', name: 'Basemap' },
    controls: { showZoom: true, mouseWheelZoom: false, showAttribution: true, showScale: true },
    layers: [
      {
        type: 'markers',
        name: common.title,
        tooltip: true,
        location,
        config: {
          showLegend: true,
          style: {
            color: { field: by, fixed: 'dark-green' },
            size: { fixed: 10, min: 2, max: 15 },
            symbol: { mode: 'fixed', fixed: 'img/icons/marker/circle.svg' },
            opacity: 0.9,
          },
        },
      },
      {
        type: 'markers',
        name: 'Labels',
        tooltip: false,
        location,
        config: {
          showLegend: false,
          style: {
            color: { fixed: 'text' },
            size: { fixed: 5, min: 2, max: 15 },
            symbol: { mode: 'fixed', fixed: '' }, // none, only the text
            text: { mode: 'field', field: label, fixed: '' },
            textConfig: {
              fontSize: 12,
              textAlign: 'center',
              textBaseline: 'middle',
              offsetX: 0,
              offsetY: 17,
            },
          },
        },
      },
    ],
    tooltip: { mode: 'details' },
  } as const satisfies Some<MapOptions>;
  return panel({ type: 'geomap', custom: {}, options, color: 'thresholds' }, common);
}
