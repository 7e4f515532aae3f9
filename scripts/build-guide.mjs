// Renders docs/ as the pages that the gateway serves under /docs/guide: plain HTML without a script, one stylesheet, and
// the pictures and examples that the pages name. Built when a document changed, as the console is.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildWhenChanged } from './build-when-changed.mjs';
import { assetAddress, guidePages, headingId, LANGUAGES, resolveLink } from './guide/pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const STYLE = 'desktop/guide/guide.css';

const WORDS = {
  en: {
    code: 'en',
    name: 'English',
    title: 'Gateway guide',
    contents: 'Contents',
    skip: 'Skip to the text',
    console: 'Console',
    before: 'Previous',
    after: 'Next',
  },
  'pt-br': {
    code: 'pt-BR',
    name: 'Português',
    title: 'Guia do gateway',
    contents: 'Sumário',
    skip: 'Ir para o texto',
    console: 'Console',
    before: 'Anterior',
    after: 'Próxima',
  },
  es: {
    code: 'es',
    name: 'Español',
    title: 'Guía del gateway',
    contents: 'Contenido',
    skip: 'Ir al texto',
    console: 'Panel',
    before: 'Anterior',
    after: 'Siguiente',
  },
};

/** @typedef {keyof typeof WORDS} Language */
/** @typedef {{ title: string, pages: { title: string, document: string }[] }} Chapter */
/** @typedef {{ text: string, html: string, assets: Set<string> }} Rendered */

export async function buildGuide() {
  await buildWhenChanged({
    out: 'desktop/guide/dist',
    sources: [
      'docs',
      STYLE,
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CODE_OF_CONDUCT.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'SECURITY.md',
      'scripts/build-guide.mjs',
      'scripts/guide/pages.mjs',
      'package-lock.json',
    ],
    build: writeGuide,
  });
}

/** @param {string} folder An empty one. */
async function writeGuide(folder) {
  const pages = guidePages(root);
  const chapters = { en: chaptersOf('en'), 'pt-br': chaptersOf('pt-br'), es: chaptersOf('es') };
  /** @type {Set<string>} */
  const assets = new Set();
  const write = (/** @type {string} */ place, /** @type {string | null} */ text, from = '') => {
    const file = path.join(folder, place);
    mkdirSync(path.dirname(file), { recursive: true });
    if (text === null) copyFileSync(path.join(root, from), file);
    else writeFileSync(file, text);
  };
  for (const [document, address] of pages) {
    const rendered = await render(document, pages);
    for (const asset of rendered.assets) assets.add(asset);
    write(address, pageOf({ document, address, rendered, pages, chapters }));
  }
  for (const asset of assets) write(assetAddress(asset), null, asset);
  write('guide.css', null, STYLE);
}

/**
 * The table of contents of a language: what its README lists below each heading.
 * @param {Language} language @returns {Chapter[]}
 */
function chaptersOf(language) {
  /** @type {Chapter[]} */
  const chapters = [];
  for (const line of readFileSync(path.join(root, `docs/${language}/README.md`), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) chapters.push({ title: heading, pages: [] });
    const [, title, href] = /^- \[([^\]]+)\]\(([^)#]+\.md)\)/.exec(line) ?? [];
    if (title !== undefined && href !== undefined)
      chapters.at(-1)?.pages.push({ title, document: path.posix.join(`docs/${language}`, href) });
  }
  return chapters;
}

/**
 * @param {string} document @param {Map<string, string>} pages @returns {Promise<Rendered>}
 */
async function render(document, pages) {
  const { Marked } = await import('marked');
  const assets = new Set();
  const taken = new Map();
  const link = (/** @type {string} */ href) => {
    const { to, asset } = resolveLink({ pages, document, href });
    if (asset !== null) assets.add(asset);
    return to;
  };
  const marked = new Marked({
    async: false,
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') token.href = link(token.href);
      // raw HTML could bring a script or a style with it
      if (token.type === 'html') throw new Error(`${document}: raw HTML (${token.raw.slice(0, 40)})`);
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const id = headingId(plainOf(text), taken);
        return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // on a phone a wide table scrolls by itself and not the page
      table(token) {
        const cells = (/** @type {typeof token.header} */ row, /** @type {string} */ tag) =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="wide" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const source = readFileSync(path.join(root, document), 'utf8');
  const html = /** @type {string} */ (marked.parse(source));
  return { text: plainOf(/^# (.+)$/m.exec(source)?.[1] ?? document), html, assets };
}

/**
 * @param {{
 *   document: string,
 *   address: string,
 *   rendered: Rendered,
 *   pages: Map<string, string>,
 *   chapters: Record<Language, Chapter[]>,
 * }} page
 */
function pageOf({ document, address, rendered, pages, chapters }) {
  const language = LANGUAGES.find((known) => address.startsWith(`${known}/`)) ?? 'en';
  const words = WORDS[language];
  const from = path.posix.dirname(address);
  const to = (/** @type {string} */ target) =>
    path.posix.relative(from, target) || path.posix.basename(target);
  const others = LANGUAGES.filter((one) => one !== language).map((other) => {
    const twin = pages.get(document.replace(`docs/${language}/`, `docs/${other}/`));
    // documents in English alone lead to the contents of the other languages
    const place = document.startsWith(`docs/${language}/`) ? twin : undefined;
    const { code, name } = WORDS[other];
    // on a phone the row has room for letters only
    const letters = code.slice(0, 2).toUpperCase();
    return `<a href="${to(place ?? `${other}/index.html`)}" lang="${code}" hreflang="${code}" aria-label="${name} (${letters})"><span class="name">${name}</span><span class="code">${letters}</span></a>`;
  });
  const listed = chapters[language].flatMap((chapter) => chapter.pages);
  const at = listed.findIndex((one) => one.document === document);
  const step = (/** @type {number} */ index, /** @type {string} */ word) => {
    const page = listed[index];
    const place = page === undefined ? undefined : pages.get(page.document);
    return page === undefined || place === undefined
      ? '<span></span>'
      : `<a href="${to(place)}">${word}: ${escaped(page.title)}</a>`;
  };
  const items = (/** @type {Chapter} */ { pages: inside }) =>
    inside
      .map((one) => {
        const place = pages.get(one.document);
        if (place === undefined) throw new Error(`docs/${language}/README.md: ${one.document} is no page`);
        const current = one.document === document ? ' aria-current="page"' : '';
        return `<li><a href="${to(place)}"${current}>${escaped(one.title)}</a></li>`;
      })
      .join('');
  const contents = chapters[language]
    .map((chapter) => `<h2>${escaped(chapter.title)}</h2><ul>${items(chapter)}</ul>`)
    .join('\n');
  return `<!doctype html>
<html lang="${words.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(rendered.text)} – ${words.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../guide.css">
</head>
<body>
<a class="skip" href="#text">${words.skip}</a>
<header>
<a class="title" href="${to(`${language}/index.html`)}">${words.title}</a>
<a class="to-contents" href="#contents">${words.contents}</a>
${others.join('\n')}
<a href="/">${words.console}</a>
</header>
<div class="columns">
<main id="text">
${rendered.html}
${at === -1 ? '' : `<p class="steps">${step(at - 1, words.before)}${step(at + 1, words.after)}</p>`}
</main>
<nav id="contents" aria-label="${words.contents}">
${contents}
</nav>
</div>
</body>
</html>
`;
}

/** Markdown of one line without its markup. @param {string} text */
const plainOf = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildGuide();
