import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildGuide } from '../../scripts/build-guide.mjs';
import { builtFiles } from '../../scripts/build-when-changed.mjs';
import { guidePages } from '../../scripts/guide/pages.mjs';
import { filesFor } from '../../scripts/packaging/program-files.ts';
import { type StartedGateway, startGateway } from '../real/started-gateway.ts';

// The guide as a browser at the farm gets it, from the program that was started.

const PAGES = [...guidePages(path.resolve('.')).values()];
let gateway: StartedGateway;
let guide: string;

beforeAll(async () => {
  await buildGuide();
  gateway = await startGateway();
  guide = `http://127.0.0.1:${gateway.ports.http}/docs/guide`;
});
afterAll(() => gateway?.close());

const get = (place: string, headers: Record<string, string> = {}) =>
  fetch(`${guide}${place}`, { headers, redirect: 'manual' });

describe('the guide at the gateway', () => {
  test('has a page for every document, in each language', async () => {
    for (const page of PAGES) {
      const answer = await get(`/${page}`);
      expect([page, answer.status, answer.headers.get('content-type')]).toEqual([
        page,
        200,
        'text/html; charset=utf-8',
      ]);
      const language = { 'pt-br': 'pt-BR', es: 'es' }[path.posix.dirname(page)] ?? 'en';
      expect(await answer.text()).toContain(`<html lang="${language}">`);
    }
    const named = (language: string) =>
      PAGES.filter((page) => page.startsWith(`${language}/`)).map((page) => path.posix.basename(page));
    expect(named('pt-br')).toEqual(named('en'));
    expect(named('es')).toEqual(named('en'));
    expect(named('en').length).toBeGreaterThan(15);
  });

  test('leads from page to page without a dead link, picture or anchor', async () => {
    const texts = new Map<string, string>();
    const textOf = async (place: string) => {
      const known = texts.get(place);
      if (known !== undefined) return known;
      const answer = await get(place);
      const text = answer.status === 200 ? await answer.text() : '';
      texts.set(place, text);
      return text;
    };
    const dead: string[] = [];
    for (const page of PAGES) {
      const text = await textOf(`/${page}`);
      for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^(https?:|mailto:|data:)/.test(link) || link === '/') continue;
        const { pathname, hash } = new URL(link, `http://guide/docs/guide/${page}`);
        expect(pathname).toMatch(/^\/docs\/guide\//);
        const target = await textOf(pathname.slice('/docs/guide'.length));
        const isThere =
          target !== '' && (hash === '' || target.includes(`id="${decodeURIComponent(hash.slice(1))}"`));
        if (!isThere) dead.push(`${page}: ${link}`);
      }
    }
    expect(dead).toEqual([]);
  });

  test('opens in the language of the reader, and changes it on each page', async () => {
    const first = async (language: string) =>
      (await get('', { 'Accept-Language': language })).headers.get('location');
    expect(await first('en-US,en;q=0.9')).toBe('/docs/guide/en/index.html');
    expect(await first('pt-BR,pt;q=0.9,en;q=0.5')).toBe('/docs/guide/pt-br/index.html');
    expect(await first('es-EC,es;q=0.9,en;q=0.5')).toBe('/docs/guide/es/index.html');
    expect(await first('de')).toBe('/docs/guide/pt-br/index.html');
    const languages = ['en', 'pt-br', 'es'];
    for (const language of languages) {
      const header = /<header>[\s\S]*<\/header>/.exec(
        await (await get(`/${language}/schedules.html`)).text(),
      )?.[0];
      for (const other of languages.filter((one) => one !== language))
        expect(header).toContain(`href="../${other}/schedules.html"`);
    }
  });

  test('runs no script, has no style of single elements, and asks nobody else', async () => {
    for (const page of PAGES) {
      const answer = await get(`/${page}`);
      const text = await answer.text();
      expect([
        page,
        /<script|<style|\sstyle=|\son\w+="|(?:src|rel="stylesheet" href)="https?:/.test(text),
      ]).toEqual([page, false]);
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'self'; img-src 'self'/,
      );
    }
  });

  test.each([
    '/en/nothing.html',
    '/en/..%2f..%2f..%2fpackage.json',
    '/..%5c..%5cpackage.json',
    '/.built.json',
    '/en/%00',
    '/%E0%A4%A',
  ])('says 404 in plain words for %s', async (place) => {
    const answer = await get(place);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toBe(
      'No such page / Página não encontrada / Página no encontrada: /docs/guide\n',
    );
  });

  test('cannot be written to', async () => {
    const answer = await fetch(`${guide}/en/index.html`, { method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('every page of the guide is in the package', () => {
  const packed = new Set(
    filesFor({
      root: path.resolve('.'),
      machine: 'linux-x64',
      version: '0.1.0',
      node: process.execPath,
      updateKeys: null,
    }).map((file) => file.path),
  );
  const pages = [...PAGES, 'guide.css'].map((page) => `desktop/guide/dist/${page}`);
  expect(pages.filter((page) => !packed.has(page))).toEqual([]);
  expect(builtFiles('desktop/guide/dist').length).toBeGreaterThan(PAGES.length);
});
