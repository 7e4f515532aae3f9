import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentName } from '#runtime/config.ts';
import { options } from '#runtime/options.ts';
import { startApp } from '#test/app.ts';
import { headingId } from '../../scripts/guide/pages.mjs';
import { KNOWN_COMMANDS, takes } from './known-options.ts';

const files = (folder: string, ending: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const ENGLISH = files('docs/en', '.md');
const PORTUGUESE = files('docs/pt-br', '.md');
const AT_THE_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'];
const SPANISH = files('docs/es', '.md');
const OURS = [...ENGLISH, ...PORTUGUESE, ...SPANISH];
const TRANSLATIONS: readonly [string, readonly string[]][] = [
  ['Portuguese', PORTUGUESE],
  ['Spanish', SPANISH],
];
const VARIABLES = new Set([...Object.keys(options).map(environmentName), 'NODE_COMPILE_CACHE']);
const read = (file: string) => readFileSync(file, 'utf8');
const withoutCode = (text: string) => text.replace(/^( *)```[\s\S]*?^ *```$/gm, '');
/** Ids of the headings of a document. */
function headingsOf(file: string): string[] {
  const taken = new Map<string, number>();
  return all(withoutCode(read(file)), /^#+ (.+)$/gm).map((heading) =>
    headingId(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''), taken),
  );
}
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Sections of OWASP ASVS 5.0.0 but OAuth and WebRTC, and their last requirement of level 1 or 2; those of level 3 come behind. */
const LEVELS_1_AND_2: Readonly<Record<string, number>> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
};

describe('the documents', () => {
  it.each(TRANSLATIONS)(
    'stand in English and %s, with the same chapters and commands',
    (_name, translated) => {
      const names = (paths: readonly string[]) => paths.map((path) => path.split('/').at(-1));
      expect(names(translated)).toEqual(names(ENGLISH));
      ENGLISH.forEach((english, at) => {
        const [one, other] = [read(english), read(translated[at] ?? '')];
        const counts = (text: string) =>
          [/^#/gm, /^```/gm, /^\|/gm, /^(- |\d\. )/gm].map((pattern) => all(text, pattern).length);
        expect([english, ...counts(other)]).toEqual([english, ...counts(one)]);
        expect([english, new Set(optionsIn(other))]).toEqual([english, new Set(optionsIn(one))]);
      });
    },
  );

  it.each([...OURS, ...AT_THE_ROOT, 'SECURITY.md', 'docs/device-protocol.md'])(
    '%s links only to what there is',
    (file) => {
      const links = all(read(file), /\]\(([^)#]+)(?:#[^)]*)?\)/g).filter((link) => !/^https?:/.test(link));
      for (const link of links) expect([link, existsSync(join(dirname(file), link))]).toEqual([link, true]);
      const anchors = [...read(file).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(
        ([, page = '', anchor = '']) => ({
          page: page === '' ? file : join(dirname(file), page),
          anchor,
        }),
      );
      for (const { page, anchor } of anchors)
        expect([page, anchor, headingsOf(page).includes(anchor)]).toEqual([page, anchor, true]);
    },
  );

  it.each(TRANSLATIONS)('have headings of the same depths, one after another, in %s', (_name, translated) => {
    const depths = (text: string) => all(withoutCode(text), /^(#+) /gm).map((marks) => marks.length);
    ENGLISH.forEach((english, at) => {
      expect([english, depths(read(translated[at] ?? ''))]).toEqual([english, depths(read(english))]);
    });
  });

  it.each(TRANSLATIONS)('have the same figures and lead to the same places, in %s', (_name, translated) => {
    const plain = (text: string) => withoutCode(text).replaceAll(/`[^`]*`/g, '');
    const figures = (text: string) =>
      (
        plain(text)
          .replaceAll(/\]\([^)]*\)/g, ']')
          .match(/\d[\d.,]*\d|\d/g) ?? []
      ).map((figure) => figure.replaceAll(/[.,]/g, ''));
    // an anchor has the words of its language; a picture may, too
    const places = (text: string) =>
      all(plain(text), /(?<!!\[[^\]]*)\]\(([^)]+)\)/g)
        .filter((link) => !/^\.\.\/(en|pt-br|es)\//.test(link))
        .map((link) => link.replace(/#.*/, '#'));
    ENGLISH.forEach((english, at) => {
      const [one, other] = [read(english), read(translated[at] ?? '')];
      expect([english, ...figures(other).toSorted()]).toEqual([english, ...figures(one).toSorted()]);
      expect([english, ...places(other).toSorted()]).toEqual([english, ...places(one).toSorted()]);
    });
  });

  it('lead from each page to the same page in the other languages, at its head', () => {
    const languages = ['en', 'pt-br', 'es'];
    for (const file of OURS) {
      const [head = ''] = read(file).split(/^## /m);
      const twins = languages
        .map((language) => `../${language}/${basename(file)}`)
        .filter((twin) => join(dirname(file), twin) !== file);
      expect([file, twins.filter((twin) => !head.includes(`](${twin})`))]).toEqual([file, []]);
    }
  });

  it.each(['en', 'pt-br', 'es'])(
    'of %s all stand in its table of contents, to which the README leads',
    (language) => {
      const contents = `docs/${language}/README.md`;
      expect(read('README.md')).toContain(`](${contents})`);
      const listed = all(read(contents), /^- \[[^\]]+\]\(([^)#]+)\)/gm).map((link) =>
        join(`docs/${language}`, link),
      );
      const pages = files(`docs/${language}`, '.md').filter((file) => file !== contents);
      const beside = [...AT_THE_ROOT.slice(1), 'SECURITY.md', 'docs/device-protocol.md'];
      expect(listed.toSorted()).toEqual([...pages, ...beside].toSorted());
    },
  );

  it('begin with a README that is read in ten minutes', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(250);
  });

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only paths that there are', (file) => {
    const paths = all(
      read(file),
      /`((?:gateway|desktop|firmware-sim|migrations|scripts|test|docs|packaging)\/[^`\s*{]*)`/g,
    );
    expect(paths.length).toBeGreaterThan(9);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('show as the worked example what is compiled and tested', () => {
    const blocks = all(read('CONTRIBUTING.md'), /^```ts\n([\s\S]*?)^```/gm);
    const example = ['pond-volume.ts', 'pond-volume.test.ts', 'routes.ts'];
    expect(blocks).toEqual(example.map((name) => read(`test/docs/worked-example/${name}`)));
  });

  it('name one version and one licence everywhere', () => {
    // read from our own files
    const own = JSON.parse(read('package.json')) as { version: string; license: string };
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: Record<string, { version?: string; license?: string }>;
    };
    const root = lock.packages[''];
    expect([lock.version, root?.version, root?.license]).toEqual([own.version, own.version, own.license]);
    expect(read('LICENSE').split('\n')[0]).toContain(own.license);
    expect(read('README.md')).toContain(`\`${own.license}\``);
    const released = all(read('CHANGELOG.md'), /^## \[?(\d+\.\d+\.\d+)/gm);
    expect(released.slice(0, 1).filter((version) => version !== own.version)).toEqual([]);
  });

  it('answer every requirement of OWASP ASVS 5 for levels 1 and 2 in SECURITY.md, each once', () => {
    const table = read('SECURITY.md').split('## OWASP ASVS 5')[1]?.split('**Keys**')[0] ?? '';
    const answered = all(table, /^\| (\d[^|]*?) +\|/gm).flatMap((cell) =>
      cell.split(', ').flatMap((range) => {
        const [from = '', to = from] = range.split(' to ');
        const [section, first] = [from.slice(0, from.lastIndexOf('.')), Number(from.split('.').at(-1))];
        const last = Number(to.split('.').at(-1));
        return Array.from({ length: last - first + 1 }, (_each, n) => `${section}.${first + n}`);
      }),
    );
    const required = Object.entries(LEVELS_1_AND_2).flatMap(([section, last]) =>
      Array.from({ length: last }, (_each, n) => `${section}.${n + 1}`),
    );
    expect(answered.toSorted()).toEqual(required.toSorted());
    expect(table).toMatch(/^\| V10, V17 +\| none/m);
  });

  it('keep the changelog in the form of Keep a Changelog', () => {
    const versions = all(read('CHANGELOG.md'), /^## (.+)$/gm);
    expect(versions[0]).toBe('Unreleased');
    for (const version of versions.slice(1))
      expect(version).toMatch(/^\[?\d+\.\d+\.\d+\]? - \d{4}-\d{2}-\d{2}$/);
  });

  it.each([...OURS, 'README.md', 'CONTRIBUTING.md'])(
    '%s calls commands only with options that they take',
    async (file) => {
      const wrong: string[] = [];
      for (const { command, options: given } of callsIn(read(file)))
        for (const option of given) {
          const isTaken = KNOWN_COMMANDS.includes(command) && (await takes(command, option));
          if (!isTaken) wrong.push(`${command} --${option}`);
        }
      expect(wrong).toEqual([]);
    },
  );

  it.each(OURS)('%s names only options, commands and variables that there are', async (file) => {
    const text = read(file);
    const unknown: string[] = [];
    for (const option of new Set(optionsIn(withoutForeign(text)))) {
      const taken = await Promise.all(KNOWN_COMMANDS.map((command) => takes(command, option)));
      if (!taken.includes(true)) unknown.push(option);
    }
    expect(unknown).toEqual([]);
    expect(all(text, /^([A-Z][A-Z_]{3,})=/gm).filter((name) => !VARIABLES.has(name))).toEqual([]);
    // read from our own package
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(all(text, /npm run ([\w-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
    const commands = new Set([...all(read('gateway/main.ts'), /command === '(\w+)'/g), 'bench-tool']);
    expect(
      all(text, /shrimp-farm-gateway (?!\.)([a-z][a-z-]+)/g).filter((name) => !commands.has(name)),
    ).toEqual([]);
  });

  it('of which nobody could ask a parser would let every option through: none does', async () => {
    expect(KNOWN_COMMANDS.length).toBeGreaterThan(20);
    for (const command of KNOWN_COMMANDS)
      expect([command, await takes(command, 'no-such-option')]).toEqual([command, false]);
    expect(await takes('backup', 'prove-key')).toBe(true);
    expect(await takes('restore', 'prove-key')).toBe(false);
  });

  it('name only operations of the interface that there are', async () => {
    const known = new Set<string>();
    for (const args of [[], ['--role', 'hosted']]) {
      const app = await startApp('sqlite', args);
      for (const { method, path } of app.routes) known.add(`${method} ${path}`);
      await app.close();
    }
    for (const file of OURS) {
      const named = all(read(file), /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?\s]*)/g);
      expect([file, named.filter((operation) => !known.has(operation))]).toEqual([file, []]);
    }
  });

  it('name only files of the package that the package has', () => {
    const unit = read('packaging/systemd/gateway.service') + read('packaging/systemd/hosted.service');
    for (const path of new Set(OURS.flatMap((file) => all(read(file), /`(\/(?:usr|var|etc)\/[\w/.-]+)`/g))))
      expect([path, unit.includes(path)]).toEqual([path, true]);
  });
});

it('the container is run with variables that there are', () => {
  const given = all(read('packaging/Dockerfile'), /-e ([A-Z_]+)=/g);
  expect(given.length).toBeGreaterThan(1);
  expect(given.filter((name) => !VARIABLES.has(name))).toEqual([]);
});

describe('the examples in front of a hosted instance', () => {
  it.each(['docs/examples/nginx.conf', 'docs/examples/Caddyfile'])(
    '%s closes what it opens, and hides what is inside',
    (file) => {
      const text = read(file).replaceAll(/#.*$/gm, '');
      expect(all(text, /(\{)(?!http\.)/g).length).toBe(
        all(text, /(\})/g).length - (text.match(/\{http\./g) ?? []).length,
      );
      for (const word of [
        '/metrics',
        '/local/',
        '127.0.0.1:8080',
        '127.0.0.1:8081',
        'X-Request-Id',
        'X-Forwarded-For',
      ])
        expect(text).toContain(word);
    },
  );

  it('hides what is inside however it is spelled, as the program takes it', () => {
    const [, hidden = ''] =
      /location ~\* (\S+) \{ return 404; \}/.exec(read('docs/examples/nginx.conf')) ?? [];
    const isHidden = (path: string) => new RegExp(hidden, 'i').test(path);
    for (const path of ['/metrics', '/METRICS/', '/local/doctor', '/Local/support-bundle'])
      expect([path, isHidden(path)]).toEqual([path, true]);
    for (const path of ['/', '/localities', '/metrics-of-mine', '/api/v1/local/'])
      expect([path, isHidden(path)]).toEqual([path, false]);
  });

  it('streams events without holding them back', () => {
    expect(read('docs/examples/nginx.conf')).toMatch(
      /location = \/api\/v1\/events \{[^}]*proxy_buffering off;/,
    );
    expect(read('docs/examples/Caddyfile')).toContain('flush_interval -1');
  });
});

function optionsIn(text: string): string[] {
  return all(text, /(?<![\w-])--([a-z][a-z0-9-]+)/g);
}

/** Without what other programs are called with. */
const withoutForeign = (text: string): string =>
  text.replaceAll(
    /(?:sudo )?(?:systemctl|createuser|createdb|pg_basebackup|pg_verifybackup|docker|dpkg|electron-builder|esptool|apt(?:-get)?)\b[^\n`]*/g,
    ' ',
  );

type Call = { command: string; options: string[] };

/** Commands as they stand in a text, each with the options up to the end of its line, which `\` prolongs. */
function callsIn(text: string): Call[] {
  const lines = text.replaceAll(/\\\n\s*/g, ' ');
  const calls = [
    ...lines.matchAll(
      /(?:npm run ([\w-]+) --|npm (start) --|shrimp-farm-gateway (?!\.)([a-z][a-z-]+))([^\n`#]*)/g,
    ),
  ];
  return calls.map(([, script, start, verb, rest = '']) => {
    const name = script ?? start ?? verb ?? '';
    const [first = ''] = rest.trim().split(' ');
    const kind = ['--modem', '--probe'].find((one) => name === 'sim' && rest.includes(one));
    const part = name === 'bench-tool' && !first.startsWith('-') ? first : kind;
    // a sentence goes on behind a command that stands in brackets
    const own = name === 'bench-tool' && part === undefined ? '' : rest;
    return { command: part === undefined ? name : `${name} ${part}`, options: optionsIn(own) };
  });
}
