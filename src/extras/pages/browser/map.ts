/**
 * Makes room for the map and draws it (`drawnMap.ts`) once it is seen: Leaflet is more than half of
 * what a page weighs, and on a phone the map is far below.
 */
import { whenNear } from './page.ts';

const section = document.querySelector<HTMLElement>('#map');
if (section !== null) {
  section.hidden = false;
  // before they are of use, or the page would grow when it has been read so far
  for (const control of section.querySelectorAll<HTMLElement>('#near, #hours'))
    control.hidden = control.id === 'near' && !isSecureContext;
  void whenNear(section, '0px')
    .then(() => import('./drawnMap.ts'))
    .then(({ drawMap }) => drawMap(section));
}
