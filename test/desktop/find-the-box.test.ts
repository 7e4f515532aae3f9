import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { codeOfPin } from '#contract/discovery.ts';
import type { FoundGateway } from '../../desktop/ipc.ts';
import { openDoor, pageAddress, socketOf } from '../../desktop/main/door.ts';
import { oncePerGateway } from '../../desktop/main/find-gateways.ts';
import { urlOfTyped, withFarm } from '../../desktop/main/gateway-place.ts';
import { skewOf } from '../../desktop/main/local-gateway.ts';
import { type Asked, followGateway } from '../../desktop/main/watch.ts';

const pinOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const box = (fields: Partial<FoundGateway> = {}): FoundGateway => ({
  id: 'g-1',
  name: 'Norte',
  url: 'https://192.168.0.10:8443/',
  pin: pinOf(1),
  software: '0.1.0',
  ...fields,
});
const elsewhere = 'https://192.168.0.77:8443/';

describe('the paired box', () => {
  /** A network on which each address answers for one gateway, and proves one key. */
  function aNetwork(gateways: Record<string, FoundGateway>) {
    const clock = { now: 0 };
    const network = { gateways, beacons: [] as FoundGateway[] };
    let kept = box();
    let moves = 0;
    let searches = 0;
    const ask = async (url: string, pin: string | null): Promise<Asked> => {
      const there = network.gateways[url];
      if (there === undefined) return { at: 'silent' };
      return there.pin === pin ? { at: 'there', gateway: there } : { at: 'other-key' };
    };
    const followed = followGateway({
      gateway: () => kept,
      keep: (gateway) => {
        kept = gateway;
      },
      ask,
      find: async () => {
        searches += 1;
        return network.beacons;
      },
      moved: () => {
        moves += 1;
      },
      now: () => clock.now,
    });
    return { ...followed, network, clock, kept: () => kept, moves: () => moves, searches: () => searches };
  }

  it('is found again when the router gives it another address, by its id and its key', async () => {
    const farm = aNetwork({ [elsewhere]: box({ url: elsewhere, software: '0.2.0' }) });
    farm.network.beacons = [box({ id: 'g-2', url: 'https://192.168.0.5:8443/' }), box({ url: elsewhere })];
    expect(await farm.isThere('ask')).toBe(false);
    expect(await farm.isThere('search')).toBe(true);
    expect(farm.kept().url).toBe(elsewhere);
    expect(farm.moves()).toBe(1);
    expect(await farm.isThere('ask')).toBe(true);
    expect(farm.kept().software).toBe('0.2.0');
  });

  it('is never taken for another that only claims to be it', async () => {
    const impostor = box({ url: elsewhere, pin: pinOf(9) });
    const farm = aNetwork({ [elsewhere]: impostor });
    farm.network.beacons = [impostor, box({ url: elsewhere })];
    expect(await farm.isThere('search')).toBe(false);
    expect([farm.kept(), farm.moves()]).toEqual([box(), 0]);
  });

  it('is asked for on the whole network every 15 seconds at most', async () => {
    const farm = aNetwork({});
    for (let second = 0; second < 60; second += 3) {
      farm.clock.now = second * 1_000;
      await farm.isThere('search');
    }
    expect(farm.searches()).toBe(4);
  });

  it('is told apart from silence when another key, or another box, answers at its address', async () => {
    const { url } = box();
    const farm = aNetwork({});
    await farm.isThere('ask');
    expect(farm.why()).toBe('silent');
    farm.network.gateways[url] = box({ pin: pinOf(9) });
    await farm.isThere('ask');
    expect(farm.why()).toBe('other-key');
    farm.network.gateways[url] = box({ id: 'g-9' });
    await farm.isThere('ask');
    expect(farm.why()).toBe('other-box');
  });

  it('is known by its next key once it shows that, too', async () => {
    const { url } = box();
    const next = box({ pin: pinOf(2) });
    const farm = aNetwork({ [url]: next });
    const both = followGateway({
      gateway: farm.kept,
      keep: (gateway) => Object.assign(farm.network, { taken: gateway.pin }),
      // after the cross-over a box proves the former key and the new one
      ask: async (_url, pin) =>
        pin === pinOf(1) || pin === pinOf(2) ? { at: 'there', gateway: next } : { at: 'other-key' },
      find: async () => [],
      moved: () => undefined,
      now: () => 0,
    });
    expect(await both.isThere('ask')).toBe(true);
    expect(farm.network).toMatchObject({ taken: pinOf(2) });
  });

  it('shows people 20 digits of its key, the same wherever they are shown', () => {
    expect(codeOfPin(pinOf(1))).toBe('18519 08424 65476 28289');
    expect(codeOfPin(pinOf(1))).not.toBe(codeOfPin(pinOf(2)));
    expect(codeOfPin('no key at all')).toBe('');
  });

  it('is offered once, however it is reached, and beside one that claims to be it', () => {
    const impostor = box({ pin: pinOf(9), url: elsewhere });
    expect(oncePerGateway([box(), box({ url: 'https://127.0.0.1:8443/' }), impostor])).toEqual([
      box(),
      impostor,
    ]);
  });
});

describe('an address that somebody types', () => {
  it.each([
    ['192.168.0.10', 'http://192.168.0.10:8080/'],
    ['192.168.0.10:9090', 'http://192.168.0.10:9090/'],
    ['camarao.local', 'http://camarao.local:8080/'],
    ['fazenda', 'http://fazenda:8080/'],
    ['farm.example', 'https://farm.example/'],
    ['http://farm.example:8080/painel', 'http://farm.example:8080/'],
    ['https://ana:secret@farm.example', null],
    ['javascript:alert(1)', null],
    ['não sei', null],
  ])('%s', (typed, url) => {
    expect(urlOfTyped(typed)).toBe(url);
  });
});

describe('the address of the console on this machine', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  async function aServer(said: string) {
    const server = createServer((_request, response) => response.end(said));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // a server that listens has one
    const { port } = server.address() as AddressInfo;
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${port}/`;
  }

  it('stays, and leads to wherever the box is now', async () => {
    const long = 'x'.repeat(3_000_000);
    const [before, after] = [await aServer(long), await aServer('moved')];
    let url = before;
    const door = await openDoor(() => socketOf(url), 0);
    closing.push(door.close);
    const read = async () => (await fetch(`http://127.0.0.1:${door.port}/`)).text();
    expect((await read()).length).toBe(long.length);
    url = after;
    door.moved();
    expect(await read()).toBe('moved');
    url = 'http://127.0.0.1:9/';
    door.moved();
    await expect(read()).rejects.toThrow();
  });

  it('differs for each gateway, so that what is kept for one farm is never told to another', () => {
    const [one, other] = [box(), box({ id: 'g-2' })].map((gateway) => pageAddress(gateway, 18_480));
    expect(one).toMatch(/^https:\/\/g-[0-9a-f]{12}\.localhost:18480\/$/);
    expect(one).not.toBe(other);
    expect(pageAddress(box({ url: elsewhere }), 18_480)).toBe(one);
    // a name finds its host by itself, and has a certificate of the world
    expect(pageAddress(box({ url: 'https://farm.example/' }), 18_480)).toBe('https://farm.example/');
  });

  it('takes another port when its own is taken', async () => {
    const first = await openDoor(() => null, 0);
    const second = await openDoor(() => null, first.port);
    closing.push(first.close, second.close);
    expect(second.port).toBeGreaterThan(first.port);
  });
});

describe('what this station keeps for the time without a gateway', () => {
  const [ana, rui] = [
    { name: 'Ana', phone: '+55 85 1' },
    { name: 'Rui', phone: '+55 85 2' },
  ];
  it('is everybody of the farm who signed in here with a phone, and nobody of another farm', () => {
    const once = withFarm(null, { name: 'Norte', people: [ana] });
    const both = withFarm(once, { name: 'Norte', people: [rui] });
    expect(both).toEqual({ name: 'Norte', people: [rui, ana] });
    expect(withFarm(both, { name: 'Norte', people: [rui] })).toBe(both);
    expect(withFarm(both, { name: 'Norte', people: [] })).toBe(both);
    expect(withFarm(both, { name: 'Sul', people: [] })).toEqual({ name: 'Sul', people: [] });
  });
});

describe('the versions of program and gateway', () => {
  it('are told when they differ by more than mends', () => {
    expect(skewOf('0.1.0', '0.1.7')).toBe(null);
    expect(skewOf('0.1.0', '0.2.0')).toBe('outdated');
    expect(skewOf('1.0.0', '0.9.0')).toBe('newer');
    expect(skewOf('0.1.0', null)).toBe(null);
    expect(skewOf('0.1.0', 'unknown')).toBe(null);
  });
});
