// Builds the console and the guide when their sources changed since the last time: before every start and before the tests. Answers
// stand beside the files compressed, so that the box at the farm never compresses one.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { buildGuide } from './build-guide.mjs';
import { buildWhenChanged } from './build-when-changed.mjs';

const folder = fileURLToPath(new URL('../desktop/console', import.meta.url));
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;
/** Whoever speaks none of the languages is spoken to in this one. */
const FIRST = 'pt-BR';

export async function buildConsole() {
  await buildGuide();
  await buildWhenChanged({
    out: 'desktop/console/dist',
    sources: [
      'desktop/console',
      'desktop/ipc.ts',
      'scripts/build-console.mjs',
      'scripts/build-when-changed.mjs',
      'gateway/contract',
      'gateway/science',
      'package-lock.json',
    ],
    build: async (made) => {
      const given = process.env['NODE_ENV'];
      // the tests' own would make a larger console that names files of this machine, and later starts would serve it
      process.env['NODE_ENV'] = 'production';
      try {
        await buildLanguages(made);
      } finally {
        if (given === undefined) delete process.env['NODE_ENV'];
        else process.env['NODE_ENV'] = given;
      }
      compress(made);
    },
  });
}

/** Each language is loaded alone. What has no words in it is the same file in all of them. @param {string} made */
async function buildLanguages(made) {
  const vite = await import('vite');
  const words = path.join(folder, 'words');
  const others = readdirSync(words).filter((tag) => tag !== FIRST);
  /** @type {Record<string, string[]>} */
  const starts = {};
  let page = '';
  for (const tag of [FIRST, ...others]) {
    await vite.build({
      configFile: path.join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      resolve: { alias: { '#words/': `${path.join(words, tag)}/` } },
      plugins: [onlyIn(vite, tag, [FIRST, ...others])],
      build: { outDir: made, emptyOutDir: tag === FIRST, copyPublicDir: tag === FIRST },
    });
    const { rest, scripts } = takeScripts(readFileSync(path.join(made, 'index.html'), 'utf8'));
    if (page !== '' && page !== rest)
      throw new Error(`the page differs in ${tag}, and not by its scripts alone`);
    page = rest;
    starts[tag] = scripts;
  }
  writeFileSync(path.join(made, 'index.html'), withStarts(page, starts));
  // every page waits for it before it draws
  const firstLook = path.join(made, 'first-look.js');
  writeFileSync(firstLook, vite.minifySync(firstLook, readFileSync(firstLook, 'utf8')).code);
}

/**
 * Of the sentences that gateway and console have in common, written `{ 'pt-BR': …, en: …, … }`, those of one language.
 * @param {Pick<typeof import('vite'), 'Visitor' | 'parseSync'>} vite @param {string} tag @param {readonly string[]} tags
 * @returns {import('vite').Plugin}
 */
const onlyIn = ({ Visitor, parseSync }, tag, tags) => ({
  name: 'sentences-of-one-language',
  transform: {
    filter: { id: /\/gateway\/(contract|science)\// },
    handler(code) {
      /** @type {[from: number, to: number][]} */
      const cuts = [];
      new Visitor({
        ObjectExpression({ properties, start, end }) {
          const names = properties.map((property) => {
            if (property.type !== 'Property' || property.computed) return null;
            const { key } = property;
            return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null;
          });
          const own = properties[names.indexOf(tag)];
          if (own === undefined || !names.every((name) => name !== null && tags.includes(name))) return;
          cuts.push([start + 1, own.start], [own.end, end - 1]);
        },
      }).visit(parseSync('code.js', code).program);
      let left = '';
      let at = 0;
      for (const [from, to] of cuts.sort(([one], [other]) => one - other)) {
        if (from > at) left += code.slice(at, from);
        at = Math.max(at, to);
      }
      return left + code.slice(at);
    },
  },
});

/** A page as vite makes it, and its scripts, the first of them the one that starts. @param {string} page */
function takeScripts(page) {
  const line =
    /\n\s*<(?:script type="module"|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?/g;
  const scripts = [...page.matchAll(line)].map(([, address = '']) => address);
  return { rest: page.replaceAll(line, ''), scripts };
}

/**
 * What all languages start with is written into the page, where a browser sees it at once; of the rest
 * desktop/console/public/first-look.js takes that of one language.
 * @param {string} page @param {Record<string, string[]>} starts
 */
function withStarts(page, starts) {
  const [first = [], ...others] = Object.values(starts);
  const shared = first.filter((address) => others.every((scripts) => scripts.includes(address)));
  const own = Object.fromEntries(
    Object.entries(starts).map(([tag, scripts]) => [
      tag,
      scripts.filter((address) => !shared.includes(address)),
    ]),
  );
  const links = shared.map((address) => `    <link rel="modulepreload" crossorigin href="${address}">\n`);
  return page
    .replace(
      /( *)<script src="\/first-look.js">/,
      `$1<meta name="starts" content='${JSON.stringify(own)}' />\n$&`,
    )
    .replace('  </head>', `${links.join('')}  </head>`);
}

/** @param {string} made */
function compress(made) {
  for (const name of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(made, name);
    if (!statSync(file).isFile() || !COMPRESSED.test(name)) continue;
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildConsole();
