import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consolePages } from '#adapters/http/console.ts';
import { guidePages } from '#adapters/http/guide-pages.ts';

describe('the files of the console and of the guide', () => {
  let folder: string;
  let server: Server;
  const at = (name: string) => join(folder, name);
  const get = async (place: string) => {
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}${place}`, { headers: { Accept: 'text/html' } });
    return [reply.status, await reply.text()] as const;
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'console-'));
    mkdirSync(at('assets'));
    mkdirSync(at('guide/en'), { recursive: true });
    writeFileSync(at('index.html'), 'the page');
    writeFileSync(at('guide/en/index.html'), 'the guide');
    for (const name of ['asked.js', 'never-asked.js']) {
      writeFileSync(at(`assets/${name}`), name);
      writeFileSync(at(`assets/${name}.gz`), gzipSync(name));
    }
    const app = express();
    app.use('/docs/guide', guidePages(at('guide')));
    app.use(consolePages(folder));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('are not looked at before somebody asks', async () => {
    writeFileSync(at('late.svg'), 'put there after the start');
    writeFileSync(at('guide/en/late.html'), 'put there after the start');
    expect(await get('/late.svg')).toEqual([200, 'put there after the start']);
    expect(await get('/docs/guide/en/late.html')).toEqual([200, 'put there after the start']);
  });

  it('are listed once: what comes later is not served, and the page stands in its place', async () => {
    expect(await get('/ponds')).toEqual([200, 'the page']);
    writeFileSync(at('later.svg'), 'later');
    expect(await get('/later.svg')).toEqual([200, 'the page']);
    expect((await get('/assets/../../etc/passwd'))[1]).toBe('the page');
  });

  it('stay in memory once they were asked for, and one that went away meanwhile is not there', async () => {
    expect(await get('/assets/asked.js')).toEqual([200, 'asked.js']);
    expect(await get('/ponds')).toEqual([200, 'the page']);
    rmSync(at('assets'), { recursive: true });
    rmSync(at('index.html'));
    expect(await get('/assets/asked.js')).toEqual([200, 'asked.js']);
    expect(await get('/ponds')).toEqual([200, 'the page']);
    expect((await get('/assets/never-asked.js'))[0]).toBe(404);
  });
});
