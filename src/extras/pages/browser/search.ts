/** The search of the overview: shows the places whose name has the letters in it. */
import { REPLACED } from './live.ts';

const search = document.querySelector<HTMLInputElement>('#search');
if (search !== null) {
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    const items = [...document.querySelectorAll<HTMLElement>('[data-live=list] li')];
    const found = items.filter((item) =>
      (item.querySelector('a')?.textContent ?? '').toLowerCase().includes(wanted),
    );
    for (const item of items)
      item.hidden = !found.some((one) => item.contains(one) || one.contains(item));
    for (const details of document.querySelectorAll<HTMLDetailsElement>(
      '[data-live=list] details',
    )) {
      details.open =
        wanted !== '' &&
        found.some((one) => details.contains(one) && one !== details.parentElement);
    }
    (search.parentElement?.querySelector('[role=status]') as HTMLElement).hidden = found.length > 0;
  };
  search.addEventListener('input', filter);
  const wanted = new URLSearchParams(location.search).get('search'); // from the page of a wrong address
  if (wanted !== null) {
    search.value = wanted;
    filter();
  }
  document.addEventListener(REPLACED, () => {
    if (search.value !== '') filter();
  });
}
