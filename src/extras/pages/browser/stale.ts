/** Says that values may be old, or no longer: `place` has the sentence (`layout.ts`) and the time that they are of. */
export function tellStale(place: ParentNode, isStale: boolean): void {
  const notice = place.querySelector<HTMLElement>('#stale');
  if (notice === null) return;
  const time = place.querySelector('time')?.textContent ?? '\u2013';
  notice.hidden = !isStale;
  if (isStale) notice.textContent = (notice.dataset.text ?? '').replace('{time}', time);
}
