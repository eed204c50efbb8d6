/**
 * Shows or hides the notice that values may be old: `place` has the sentence (`layout.ts`) and the
 * time of the values.
 */
export function tellStale(place: ParentNode, isStale: boolean): void {
  const notice = place.querySelector<HTMLElement>('#stale');
  if (notice === null) return;
  const time = place.querySelector('time')?.textContent ?? '\u2013';
  notice.hidden = !isStale;
  if (isStale) notice.textContent = (notice.dataset.text ?? '').replace('{time}', time);
}
