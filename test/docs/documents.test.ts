import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startApp } from '#test/app.ts';
import { environmentName, options } from '../../gateway/config.ts';

const files = (folder: string, ending: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const ENGLISH = files('docs/en', '.md');
const PORTUGUESE = files('docs/pt-br', '.md');
const OURS = ['docs/install.md', ...ENGLISH, ...PORTUGUESE];
const read = (file: string) => readFileSync(file, 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('the documents', () => {
  it('stand in both languages, with the same chapters, commands and links', () => {
    const names = (paths: string[]) => paths.map((path) => path.split('/').at(-1));
    expect(names(ENGLISH)).toEqual(names(PORTUGUESE));
    ENGLISH.forEach((english, at) => {
      const [one, other] = [read(english), read(PORTUGUESE[at] ?? '')];
      const counts = (text: string) =>
        [/^#/gm, /^```/gm, /^\|/gm, /^(- |\d\. )/gm].map((pattern) => all(text, pattern).length);
      expect([english, ...counts(other)]).toEqual([english, ...counts(one)]);
      expect([english, new Set(optionsIn(other))]).toEqual([english, new Set(optionsIn(one))]);
    });
  });

  it.each([...OURS, 'README.md'])('%s links only to what there is', (file) => {
    const links = all(read(file), /\]\(([^)#]+)(?:#[^)]*)?\)/g).filter((link) => !/^https?:/.test(link));
    for (const link of links) expect([link, existsSync(join(dirname(file), link))]).toEqual([link, true]);
  });

  it('are linked from the README', () => {
    const readme = read('README.md');
    for (const file of OURS.filter((path) => path !== 'docs/install.md'))
      expect([file, readme.includes(file)]).toEqual([file, true]);
  });

  it.each(OURS)('%s names only options, commands and variables that there are', (file) => {
    const text = read(file);
    const sources = [
      'main',
      'admin',
      'backup',
      'restore',
      'doctor/doctor-command',
      'config',
      'update-command',
      '../scripts/sign-firmware',
      '../firmware-sim/relays/run-relays',
      'bench/board-commands',
      'bench/provision-commands',
      'bench/provision-options',
      'bench/provision-gateway',
      'bench/batch-command',
      'bench/label-command',
      '../desktop/main/station',
      '../scripts/packaging/lay-out-gateway',
    ]
      .map((name) => read(`gateway/${name}.ts`))
      .join('\n');
    const isKnown = (option: string) =>
      option in options || sources.includes(`--${option}`) || sources.includes(`'${option}'`);
    const others = ['pwprompt', 'owner', 'now', 'force-confold', 'hosted', 'also-trust', 'config'];
    expect(optionsIn(text).filter((option) => !isKnown(option) && !others.includes(option))).toEqual([]);
    const variables = new Set([...Object.keys(options).map(environmentName), 'NODE_COMPILE_CACHE']);
    expect(all(text, /^([A-Z][A-Z_]{3,})=/gm).filter((name) => !variables.has(name))).toEqual([]);
    // read from our own package
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(all(text, /npm run ([\w-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
    const commands = new Set(['admin', 'backup', 'restore', 'update', 'doctor']);
    expect(all(text, /shrimp-farm-gateway (?!\.)([a-z]+)/g).filter((name) => !commands.has(name))).toEqual(
      [],
    );
  });

  it('name only operations of the interface that there are', async () => {
    const app = await startApp();
    const known = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
    await app.close();
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
  return all(text, /(?<![\w-])--([a-z][a-z-]+)/g);
}
