/**
 * For developers, on the page of what they look at: the addresses behind it, ready-made snippets,
 * and what embeds it.
 */
import { BASE_PATH, type Locale } from '../../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import type { Words } from './words.ts';

/** Where an address begins. */
const ORIGIN = '\u0000';

/**
 * A text with addresses. They begin with `url`, where readers reach the pages; without one, which
 * is '', with the path, and the browser puts the service's origin before it.
 */
const addressed = (url: string, text: string): Html =>
  url !== ''
    ? html`${text.replaceAll(ORIGIN, url)}`
    : html`${text.split(ORIGIN).map((part, n) => html`${n > 0 && html`<span data-origin></span>`}${part}`)}`;

/** A line of code that a button copies, and what stands after that. */
const copyLine = (words: Words, code: Html, after: Html | string = '') =>
  html`<div class="address">${code} <button type="button" data-copy
    data-copied="${words.copied}" hidden>${words.copy}</button>
    ${after}</div>`;

/** A block of code for other pages, with the script of this name. */
export const CODE_SCRIPT = 'developers';
export const codePart = (words: Words, url: string, text: (origin: string) => string): Html =>
  copyLine(words, html`<pre><code>${addressed(url, text(ORIGIN))}</code></pre>`);

/** How to ask for a path, and a link to its answer. */
const addressLine = (words: Words, url: string, path: string): Html =>
  copyLine(
    words,
    html`<code>${addressed(url, `curl ${ORIGIN}${path}`)}</code>`,
    html` <a href="${path}">${words.show}</a>`,
  );

/** `url`: where readers reach the pages, or ''. */
export function developerPart(
  words: Words,
  locale: Locale,
  subject: string,
  { title, url }: { title: string; url: string },
): Html {
  const base = BASE_PATH.replace('{locale}', locale);
  const current = `${base}/${subject}.json`;
  const explore = `/${locale}/explore/v1/${subject}`;
  const more = subject.startsWith('station') ? 'flags' : 'limits';
  const paths = [
    current,
    `${base}/${subject}-history.json`,
    `${explore}/now.json`,
    `${explore}/${more}.json`,
  ];
  return html`<section class="card" id="developers">
<details data-name="developers"><summary><h2>${words.api}</h2></summary>
<p>${words.apiIntro} <a href="/${locale}/docs">${words.docs}</a></p>
${paths.map((path) => addressLine(words, url, path))}
<h3>${words.snippets}</h3>
${Object.entries(SNIPPETS).map(
  ([name, text]) => html`<details>
  <summary>${name}</summary>
  ${copyLine(words, html`<pre><code>${addressed(url, text(`${ORIGIN}${current}`))}</code></pre>`)}</details>`,
)}
<h3>${words.embed}</h3>
<p>${words.embedIntro}</p>
${embeds(words, locale, subject, title).map((text) => copyLine(words, html`<code>${addressed(url, text)}</code>`))}
</details></section>`;
}

const embeds = (words: Words, locale: Locale, subject: string, title: string) => {
  const name = `${words.embedTitle} ${title}`.replaceAll(/[&"<>]/g, ' ');
  const [kind, key] = subject.split('/');
  return [
    `<script type="module" src="${ORIGIN}/widget.js"></script> <air-quality ${kind}="${key}" lang="${locale}"><a href="${ORIGIN}/${locale}/${subject}">${name}</a></air-quality>`,
    `<iframe src="${ORIGIN}/${locale}/embed/${subject}" title="${name}" width="320" height="180"></iframe>`,
  ];
};

const SNIPPETS: Readonly<Record<string, (url: string) => string>> = {
  'Home Assistant': (url) => `rest:
  - resource: ${url}
    scan_interval: 300
    headers:
      User-Agent: Home Assistant
    sensor:
      - name: PM2.5
        device_class: pm25
        state_class: measurement
        unit_of_measurement: µg/m³
        value_template: "{{ value_json['pm2.5'] }}"
      - name: AQI
        device_class: aqi
        state_class: measurement
        value_template: "{{ value_json.aqi }}"
`,
  Python: (url) => `import json
from urllib.request import Request, urlopen

request = Request("${url}", headers={"User-Agent": "my-project"})
with urlopen(request, timeout=10) as answer:
    air = json.load(answer)
print(air["pm2.5"], "µg/m³, AQI", air["aqi"])
`,
  JavaScript: (url) => `const answer = await fetch('${url}');
if (!answer.ok) throw new Error((await answer.json()).detail);
const air = await answer.json();
console.log(\`\${air['pm2.5']} µg/m³, AQI \${air.aqi}\`);
`,
};
