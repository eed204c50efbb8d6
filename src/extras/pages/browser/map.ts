/**
 * Draws the map (`drawnMap.ts`) once it is seen: Leaflet is more than half of what a page weighs,
 * and on a phone the map is far below.
 */
import { whenNear } from './page.ts';

const section = document.querySelector<HTMLElement>('#map');
if (section !== null) {
  const near = section.querySelector<HTMLElement>('#near');
  if (near !== null) near.hidden = !isSecureContext;
  void whenNear(section, '0px')
    .then(() => import('./drawnMap.ts'))
    .then(({ drawMap }) => drawMap(section));
}
