// Which documents are pages of the guide, where they stand in it, and what an address in one of them means there.

import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Languages of the guide, by their folder below docs/. */
export const LANGUAGES = /** @type {const} */ (['en', 'pt-br', 'es']);

/** In English alone, for developers and hosts: documents that people expect at the root. */
const AT_THE_ROOT = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];
/** What pages show or offer for download, copied as it is. */
const ASSETS = /^docs\/(images|examples|grafana|prometheus|device-protocol)\/|^LICENSE$/;

/**
 * Every page by the path of its document; the value is its address below /docs/guide/.
 * @param {string} root @returns {Map<string, string>}
 */
export function guidePages(root) {
  const inFolder = (/** @type {string} */ folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`);
  const documents = [
    ...LANGUAGES.flatMap((language) => inFolder(`docs/${language}`)),
    'docs/device-protocol.md',
    ...AT_THE_ROOT,
  ];
  return new Map(documents.map((document) => [document, addressOf(document)]));
}

/** @param {string} document */
function addressOf(document) {
  const name = path.basename(document, '.md').toLowerCase().replaceAll('_', '-');
  const language = LANGUAGES.find((known) => document.startsWith(`docs/${known}/`));
  return `${language ?? 'reference'}/${name === 'readme' ? 'index' : name}.html`;
}

/**
 * The id of a heading as GitHub makes it, so that one link works in both places.
 * @param {string} heading Its text without markup. @param {Map<string, number>} taken Ids of the page so far.
 */
export function headingId(heading, taken) {
  const plain = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
  const times = taken.get(plain) ?? 0;
  taken.set(plain, times + 1);
  return times === 0 ? plain : `${plain}-${times}`;
}

/**
 * Where a link of a document leads: an address of the guide, or one outside that is left as it is.
 * @param {{ pages: Map<string, string>, document: string, href: string }} link
 * @returns {{ to: string, asset: string | null }} `asset`: the file that has to be copied for it.
 */
export function resolveLink({ pages, document, href }) {
  if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return { to: href, asset: null };
  const [file = '', anchor] = href.split('#');
  const target = path.posix.join(path.posix.dirname(document), file);
  // whoever reads the guide is past what the README says
  const page = target === 'README.md' ? 'en/index.html' : pages.get(target);
  const from = path.posix.dirname(addressOf(document));
  if (page !== undefined) {
    const to = path.posix.relative(from, page);
    return { to: anchor === undefined ? to : `${to}#${anchor}`, asset: null };
  }
  if (!ASSETS.test(target)) throw new Error(`${document}: ${href} leads out of the guide`);
  return { to: path.posix.relative(from, assetAddress(target)), asset: target };
}

/** @param {string} file */
export const assetAddress = (file) => `files/${file.replace(/^docs\//, '')}`;
