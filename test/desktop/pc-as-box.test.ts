import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastingPort } from '#test/lasting-port.ts';
import type { LocalTold } from '../../desktop/ipc.ts';
import { type LocalGateway, startLocalGateway, troubleIn } from '../../desktop/main/local-gateway.ts';
import { keptSettings } from '../../desktop/main/settings.ts';
import { entryFor, leaving, startWithSystem } from '../../desktop/main/tray.ts';

/** A program in the place of the gateway: it listens where it is told, and notes itself beside its database. */
const RUNS = `
  import { createServer } from 'node:http';
  import { writeFileSync } from 'node:fs';
  const [, , , data, , port] = process.argv;
  const note = (stopped_at) => writeFileSync(data + '/run.json', JSON.stringify({
    process: process.pid, address: 'http://127.0.0.1:' + port, started_at: Date.now(), stopped_at }));
  createServer((_request, response) => response.end('ok')).listen(Number(port), '127.0.0.1', () => note(null));
  process.on('SIGTERM', () => { note(Date.now()); process.exit(0); });
`;
const PORT_TAKEN = `
  console.log(JSON.stringify({ msg: 'starting' }));
  console.error('port 8080 is taken; choose another with --http-port or --mqtt-port');
  process.exitCode = 1;
`;

const HANGS = `setInterval(() => undefined, 1_000);`;

describe('a PC that is the box', () => {
  let folder: string;
  const running: LocalGateway[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pc-box-'));
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function aGateway(program: string, now: () => number = () => performance.now()) {
    mkdirSync(path.join(folder, 'gateway/dist'), { recursive: true });
    writeFileSync(path.join(folder, 'gateway/dist/main.js'), program);
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const httpPort = await lastingPort();
    return () => {
      const told: LocalTold[] = [];
      const gateway = startLocalGateway({
        program: folder,
        node: process.execPath,
        data: path.join(folder, 'data'),
        httpPort,
        answers: () =>
          fetch(`http://127.0.0.1:${httpPort}/`).then(
            () => true,
            () => false,
          ),
        changed: (now) => void told.push(now),
        // what it waits for is the same, only sooner
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
        now,
        bootedAt: () => 0,
      });
      running.push(gateway);
      return { gateway, told };
    };
  }
  const processOf = () =>
    (JSON.parse(readFileSync(path.join(folder, 'data/run.json'), 'utf8')) as { process: number }).process;
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('starts its gateway anew when that ends, and stops it in order', async () => {
    const { gateway, told } = (await aGateway(RUNS))();
    await expect.poll(() => gateway.told().at).toBe('running');
    const first = processOf();
    process.kill(first, 'SIGKILL');
    await expect.poll(() => told.map(({ at }) => at).join()).toContain('running,restarting,running');
    await expect.poll(processOf).not.toBe(first);
    expect(gateway.isOwn()).toBe(true);
    const second = processOf();
    await gateway.stop();
    expect(isAlive(second)).toBe(false);
    expect(JSON.parse(readFileSync(path.join(folder, 'data/run.json'), 'utf8'))).toMatchObject({
      stopped_at: expect.any(Number) as number,
    });
    expect(gateway.told().at).toBe('stopped');
  });

  it('takes over the gateway that an earlier start left behind, and starts no second one beside it', async () => {
    const start = await aGateway(RUNS);
    const before = start();
    await expect.poll(() => before.gateway.told().at).toBe('running');
    const pid = processOf();
    const after = start();
    await expect.poll(() => after.gateway.isOwn()).toBe(true);
    expect([after.gateway.told().at, processOf()]).toEqual(['running', pid]);
    await after.gateway.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('says which port is taken, and keeps trying', async () => {
    const { gateway, told } = (await aGateway(PORT_TAKEN))();
    await expect.poll(() => gateway.told().trouble).toMatchObject({ port: 8080 });
    await expect.poll(() => told.filter(({ at }) => at === 'restarting').length).toBeGreaterThan(0);
    expect(gateway.isOwn() ? 'own' : gateway.told().at).not.toBe('running');
    expect(existsSync(path.join(folder, 'data/gateway.log'))).toBe(true);
  });

  it('goes on trying while its disk takes nothing, says why, and runs once it does', async () => {
    const data = path.join(folder, 'data');
    writeFileSync(data, 'in the place of the folder');
    const { gateway } = (await aGateway(RUNS))();
    await expect.poll(() => gateway.told().trouble?.sentence).toContain('EEXIST');
    rmSync(data);
    await expect.poll(() => gateway.told()).toEqual({ at: 'running', trouble: null });
  });

  it('runs without a log where none can be written', async () => {
    mkdirSync(path.join(folder, 'data/gateway.log'), { recursive: true });
    const { gateway } = (await aGateway(RUNS))();
    await expect.poll(() => gateway.told().at).toBe('running');
  });

  it('is not called starting any more when it does not answer after two minutes', async () => {
    let minutes = 0;
    const { gateway, told } = (await aGateway(HANGS, () => minutes * 60_000))();
    await expect.poll(() => gateway.isOwn()).toBe(true);
    minutes = 2.1;
    await expect.poll(() => gateway.told()).toEqual({ at: 'late', trouble: null });
    expect(told.map(({ at }) => at)).toEqual(['late']);
  });

  describe('and its settings', () => {
    const file = () => path.join(folder, 'settings.json');
    const kept = async () => {
      const waited: number[] = [];
      const failed: unknown[] = [];
      const settings = await keptSettings({
        folder,
        failed: (error) => void failed.push(error),
        pause: async (ms) => void waited.push(ms),
      });
      return { settings, waited, failed };
    };
    const written = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
    const hasFarm = () => {
      mkdirSync(path.join(folder, 'gateway'));
      writeFileSync(path.join(folder, 'gateway/farm.db'), '');
    };

    it('stays the box when one field of them is out of shape', async () => {
      writeFileSync(file(), JSON.stringify({ isLocal: true, localPort: 9080, farm: { name: 7 } }));
      const { settings } = await kept();
      expect(settings.get()).toMatchObject({ isLocal: true, localPort: 9080, farm: null });
      settings.set({ isKiosk: true });
      expect(written()).toMatchObject({ isLocal: true, localPort: 9080, isKiosk: true });
      expect(readFileSync(`${file()}.broken`, 'utf8')).toContain('"name":7');
    });

    it('stays the box when a power cut left nothing of them, as it has the data of a farm', async () => {
      hasFarm();
      for (const left of ['', '\0\0\0', '[]', '{"isLocal":"yes"}']) {
        writeFileSync(file(), left);
        expect((await kept()).settings.get().isLocal).toBe(true);
      }
      writeFileSync(file(), '{"isLocal":false}');
      expect((await kept()).settings.get().isLocal).toBe(false);
    });

    it('leaves them as they are while the system does not hand them out, and forgets nothing of them', async () => {
      hasFarm();
      mkdirSync(file());
      const { settings, waited, failed } = await kept();
      expect([settings.get().isLocal, waited.length, failed.length]).toEqual([true, 4, 1]);
      settings.set({ isKiosk: true });
      expect([settings.get().isKiosk, failed.length]).toEqual([true, 2]);
      rmSync(file(), { recursive: true });
      writeFileSync(file(), JSON.stringify({ isLocal: true, localPort: 9080 }));
      settings.set({ wasToldOfTray: true });
      expect(written()).toMatchObject({ localPort: 9080, isKiosk: true, wasToldOfTray: true });
      expect(existsSync(`${file()}.broken`)).toBe(false);
    });
  });

  it('tells the sentence that matters of what a gateway said last', () => {
    expect(troubleIn('{"level":"info"}\nno access to /data; choose another folder\n')).toEqual({
      port: null,
      sentence: 'no access to /data; choose another folder',
    });
    expect(
      troubleIn(
        'file:///x.js:1\nthrow new Error()\n^\nTypeError: x is not\n    at y (z)\nNode.js v24.21.0\n',
      ),
    ).toEqual({ port: null, sentence: 'TypeError: x is not' });
    expect(troubleIn('')).toEqual({ port: null, sentence: '' });
  });

  it('starts with the system, by the path as it is, until that is switched off', () => {
    const app = { getPath: () => folder, setLoginItemSettings: () => undefined };
    const deps = { app, platform: 'linux', program: '/opt/Camarão/cam 100%$HOME' } as const;
    const file = path.join(folder, 'autostart/camarao.desktop');
    startWithSystem(deps, 'on');
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Camarão/cam 100%%\\\\$HOME"\n');
    startWithSystem(deps, 'off');
    startWithSystem(deps, 'off');
    expect(existsSync(file)).toBe(false);
    expect(entryFor('/usr/bin/camarao')).toContain('Exec="/usr/bin/camarao"');
    const asked: unknown[] = [];
    const windows = { ...app, setLoginItemSettings: (how: unknown) => void asked.push(how) };
    startWithSystem({ app: windows, platform: 'win32', program: 'C:\\c.exe' }, 'on');
    expect(asked).toEqual([{ openAtLogin: true, path: 'C:\\c.exe' }]);
  });
});

describe('the end of the program', () => {
  function aProgram({ isBox, says }: { isBox: boolean; says: boolean }) {
    const happened: string[] = [];
    const leave = leaving({
      stopsGateway: () => isBox,
      ask: async (what) => {
        happened.push(`asked about the ${what}`);
        return says;
      },
      stopGateway: async () => void happened.push('gateway stopped'),
      quit: () => void happened.push('quit'),
    });
    return { leave, happened };
  }

  it('stops the gateway only after somebody read what stops', async () => {
    const { leave, happened } = aProgram({ isBox: true, says: true });
    await leave.wish();
    expect(happened).toEqual(['asked about the gateway', 'gateway stopped', 'quit']);
  });

  it('does not come when the person keeps on', async () => {
    const { leave, happened } = aProgram({ isBox: true, says: false });
    await Promise.all([leave.wish(), leave.wish()]);
    expect(happened).toEqual(['asked about the gateway']);
    expect(leave.isDecided()).toBe(false);
  });

  it('comes, too, when the gateway could not be stopped: the program would have no way out', async () => {
    let isOver = false;
    const leave = leaving({
      stopsGateway: () => true,
      ask: async () => true,
      stopGateway: () => Promise.reject(new Error('EIO')),
      quit: () => void (isOver = true),
    });
    await expect(leave.wish()).rejects.toThrow('EIO');
    expect(isOver).toBe(true);
  });

  it('asks of another PC only whether it may fall silent', async () => {
    const { leave, happened } = aProgram({ isBox: false, says: true });
    await leave.wish();
    expect(happened).toEqual(['asked about the watch', 'quit']);
  });

  it('leaves the gateway running when the session of the system ends, and asks nobody', async () => {
    const { leave, happened } = aProgram({ isBox: true, says: true });
    leave.systemEnds();
    await leave.wish();
    expect([leave.isDecided(), happened]).toEqual([true, []]);
  });
});
