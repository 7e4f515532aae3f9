import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { fetchPackage, type WatchSilence } from '#operations/update/fetch-package.ts';
import { archOf } from '#operations/update/package-file.ts';
import { type StageDeps, stageUpdate } from '#operations/update/stage-update.ts';
import { readState } from '#operations/update/update-folder.ts';
import { UpdateRefused } from '#operations/update/update-trouble.ts';
import { until } from '#test/gateway-process.ts';
import { aFolder, aSigner, removeFolders, tinyUpdate } from './tiny-program.ts';

// A package over https, from a server of this machine that behaves as the test wants.

const validity = { notBefore: Date.now() - 86_400_000, notAfter: Date.now() + 86_400_000 };
const authority = certificateMaker.authority(['localhost'], validity);
const { certificate: cert, key } = certificateMaker.server(
  { names: ['localhost'], commonName: 'localhost' },
  authority,
  validity,
);
const signer = aSigner();
const trusted = getCACertificates('default');
const bounds = { withinMs: 170_000, silentMs: 60_000, betweenMs: 1, triesInVain: 3 };
/** Nothing was heard for too long when a test says so. */
const silences: (() => void)[] = [];
const watch: WatchSilence = (_ms, tell) => {
  silences.push(tell);
  return { heard: () => undefined, end: () => undefined };
};
const ROOM = 1e9;
let server: Server;
let base: string;
let good: Buffer;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let asked: { range: string | undefined; token: string | undefined }[];

beforeAll(async () => {
  setDefaultCACertificates([...trusted, authority.certificate]);
  good = readFileSync(await tinyUpdate({ to: aFolder('stick'), version: '1.1.0', signer }));
  server = createServer({ cert, key }, (request, response) => {
    asked.push({ range: request.headers.range, token: request.headers.authorization });
    handle(request, response);
  });
  // a test process that stood still for a while must not find its idle connections closed
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // a server that listens on a port has an address with one
  base = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  server.closeAllConnections();
  server.close();
  removeFolders();
});
beforeEach(() => {
  asked = [];
});

const serve = (bytes: Buffer) => {
  handle = (_request, response) => void response.end(bytes);
};

describe('fetched over https', () => {
  const fetchTo = async (spare = ROOM) => {
    const to = join(aFolder('fetched'), 'package');
    const remote = { address: `${base}/x.update`, token: null };
    await fetchPackage(remote, to, spare, { bounds });
    return readFileSync(to);
  };

  test('a package is what was served', async () => {
    serve(good);
    expect((await fetchTo()).equals(good)).toBe(true);
    expect(asked).toEqual([{ range: undefined, token: undefined }]);
  });

  test('a line that breaks and falls silent goes on where it was', async () => {
    const half = Math.floor(good.length / 2);
    const to = join(aFolder('fetched'), 'package');
    handle = ({ headers }, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      response.setHeader('ETag', '"first"');
      if (from > 0) {
        response.setHeader('Content-Range', `bytes ${from}-${good.length - 1}/${good.length}`);
        response.writeHead(206);
      } else response.setHeader('Content-Length', good.length);
      if (asked.length === 1) response.write(good.subarray(0, half), () => response.destroy());
      // nothing comes after this, and nobody says so
      else if (asked.length === 2) {
        response.write(good.subarray(from, from + 100));
        void until(
          () => statSync(to).size,
          (size) => size === from + 100,
        ).then(() => silences.at(-1)?.());
      } else response.end(good.subarray(from));
    };
    const remote = { address: `${base}/x.update`, token: async () => 'secret' };
    await fetchPackage(remote, to, ROOM, { bounds, watch });
    expect(readFileSync(to).equals(good)).toBe(true);
    expect(asked.map(({ token }) => token)).toEqual(['Bearer secret', 'Bearer secret', 'Bearer secret']);
    expect(asked[2]?.range).toBe(`bytes=${Number(asked[1]?.range?.slice(6, -1)) + 100}-`);
  });

  test('another package in its place begins anew', async () => {
    handle = (_request, response) => {
      response.setHeader('ETag', asked.length === 1 ? '"first"' : '"second"');
      if (asked.length === 1) response.write(Buffer.alloc(1_000), () => response.destroy());
      else response.end(good);
    };
    expect((await fetchTo()).equals(good)).toBe(true);
  });

  test('a server that many ask at once is asked again when it says so, and a gateway that starts again is waited for', async () => {
    handle = (_request, response) => {
      if (asked.length > 5) response.end(good);
      else response.writeHead(503, { 'Retry-After': '0.01' }).end();
    };
    let tokens = 0;
    const to = join(aFolder('fetched'), 'package');
    const token = async () => {
      tokens += 1;
      if (tokens === 2) throw new UpdateRefused('NOT_REACHABLE', 'it starts');
      return 'this gateway';
    };
    await fetchPackage({ address: `${base}/x.update`, token }, to, ROOM, { bounds });
    expect(readFileSync(to).equals(good)).toBe(true);
  });

  test.each<[string, string, () => void]>([
    [
      'a redirect, which might lead anywhere',
      'NOT_REACHABLE',
      () => {
        handle = (_request, response) =>
          void response.writeHead(302, { Location: 'https://localhost:1/elsewhere' }).end();
      },
    ],
    [
      'a page that is not there',
      'NOT_FOUND',
      () => {
        handle = (_request, response) => void response.writeHead(404).end();
      },
    ],
    [
      'a server in trouble',
      'NOT_REACHABLE',
      () => {
        handle = (_request, response) => void response.writeHead(503).end();
      },
    ],
  ])('%s is refused', async (_what, code, given) => {
    given();
    await expect(fetchTo()).rejects.toMatchObject({ code });
  });

  test.each([
    ['that says how long it is', true],
    ['that does not', false],
  ])('a package larger than the room, %s, takes none', async (_what, isSaid) => {
    handle = (_request, response) => {
      if (isSaid) response.setHeader('Content-Length', good.length);
      response.write(good);
      response.end();
    };
    await expect(fetchTo(1_000)).rejects.toMatchObject({ code: 'DISK_SHORT' });
  });

  test('a server whose certificate is another’s is not believed', async () => {
    serve(good);
    const address = `${base.replace('localhost', '127.0.0.1')}/x.update`;
    const to = join(aFolder('fetched'), 'package');
    const fetching = fetchPackage({ address, token: null }, to, ROOM, { bounds });
    await expect(fetching).rejects.toMatchObject({ code: 'NOT_REACHABLE' });
    expect(asked).toEqual([]);
  });
});

describe('why a fetched package came to nothing is written down, for nobody waits at a screen', () => {
  const aBox = (more: Partial<StageDeps> = {}): StageDeps => ({
    data: aFolder('box'),
    keys: signer.publicKeys,
    arch: archOf(process.arch),
    runningVersion: '1.0.0',
    now: () => Date.UTC(2026, 2, 2, 12),
    print: () => undefined,
    databaseFacts: () => ({ applied: [], oxygenAlarms: [] }),
    databaseBytes: async () => 0,
    snapshot: async () => undefined,
    rehearse: async () => 5,
    hosted: async () => ({ address: `${base}/sync/v1/update`, token: async () => 'secret' }),
    ...more,
  });

  test.each<[string, string, string, () => Promise<Buffer>, Partial<StageDeps>]>([
    ['no package at all', 'UNSIGNED', '', async () => Buffer.from('a page of some proxy, long enough'), {}],
    [
      'one of a stranger',
      'UNSIGNED',
      '',
      async () => readFileSync(await tinyUpdate({ to: aFolder('s'), version: '1.1.0', signer: aSigner() })),
      {},
    ],
    ['an older one', 'OLDER', '1.1.0', async () => good, { runningVersion: '2.0.0' }],
    [
      'one that comes during an alarm',
      'OXYGEN_ALARM',
      '1.1.0',
      async () => good,
      { databaseFacts: () => ({ applied: [], oxygenAlarms: ['LOW_OXYGEN'] }) },
    ],
  ])('%s', async (_what, code, version, bytes, more) => {
    serve(await bytes());
    const box = aBox(more);
    const error = await stageUpdate(box, { from: `${base}/x.update`, allowOlder: false }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code });
    expect(await readState(box.data)).toMatchObject({
      step: { at: 'rest' },
      last: { result: 'refused', version, code, at: '2026-03-02T12:00:00.000Z' },
    });
  });

  test('while it comes it is said to come; one of the hosted instance is asked for with this gateway’s own token', async () => {
    const box = aBox();
    const steps: string[] = [];
    handle = (_request, response) =>
      void readState(box.data).then(({ step }) => {
        steps.push(step.at);
        response.end(good);
      });
    expect(await stageUpdate(box, { from: 'hosted', allowOlder: false })).toEqual({ version: '1.1.0' });
    expect([steps, asked]).toEqual([['fetching'], [{ range: undefined, token: 'Bearer secret' }]]);
    expect((await readState(box.data)).step).toMatchObject({ at: 'staged', version: '1.1.0' });
  });
});
