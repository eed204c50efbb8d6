/** Templates of HTML: escaping, and indented lines. */
import { expect, it } from 'vitest';
import { html } from '../../../src/extras/pages/html.ts';

it('a template escapes values, and takes the text of another template as it is', () => {
  const name = `<b title="'">&</b>`;
  expect(html`<p>${name}</p>${html`<br>`}${null}${false}${[1, '>']}`.text).toBe(
    '<p>&lt;b title=&quot;&#39;&quot;&gt;&amp;&lt;/b&gt;</p><br>1&gt;',
  );
});

it('an indented line continues the line before, with a blank where no tag ends or begins', () => {
  const line = (id: number) => html`<a id="${id}"
    href="#">
    ${id}
    <b>x</b>
    y
    z</a>
<i></i>`;
  for (const id of [1, 2])
    expect(line(id).text).toBe(`<a id="${id}" href="#">${id}<b>x</b>y z</a>\n<i></i>`);
  expect(html`<p>${'a\n  b'}</p>`.text).toBe('<p>a\n  b</p>');
});
