import { afterEach, describe, expect, it } from 'vitest';
import { startBoard } from '#sim/board/start-board.ts';
import { joinWifi } from '../../gateway/bench/improv-client.ts';
import { IMPROV_TYPE, improvFrame } from '../../gateway/bench/improv-frames.ts';
import { type BenchJobInput, type Progress, readJob, runJob } from '../../gateway/bench/job.ts';
import { openConsole } from '../../gateway/bench/provision-console.ts';
import { BenchTrouble } from '../../gateway/bench/trouble.ts';
import { aTalkingBoard, type TalkingBoard } from './talking-board.ts';

const IDENTITY = {
  device_id: 'aer-07',
  mqtt_id: 'aer-07',
  key: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ',
  gw_host: '10.0.0.5',
  gw_http: 8080,
  gw_mqtt: 1883,
  gw_mqtts: 0,
  gw_pin: null,
  cp: 'CP-7',
  fail_safe: 'ON',
  claim: 'K7QX9M2P4RTW',
};
const WIFI = { ssid: 'farm', password: 'viveiro-123' };

const boards: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(boards.splice(0).map((board) => board.close()));
});

async function board(...faults: Parameters<typeof aTalkingBoard>): Promise<TalkingBoard> {
  const made = await aTalkingBoard(...faults);
  boards.push(made);
  return made;
}

async function run(input: BenchJobInput, signal = new AbortController().signal) {
  const told: Progress[] = [];
  const job = readJob(input);
  const outcome = await runJob(job, { tell: (progress) => void told.push(progress), signal }).then(
    (result) => ({ result }),
    (error: unknown) => {
      if (!(error instanceof BenchTrouble)) throw error;
      return { code: error.code, message: error.message, next: error.said.next.en };
    },
  );
  return { outcome, said: JSON.stringify([told, outcome]) };
}

const provision = (port: string, wifi: typeof WIFI | null = WIFI) =>
  run({ kind: 'provision', port, identity: IDENTITY, wifi });

describe('a board at the bench', () => {
  it('gets its identity and its Wi-Fi, and nobody hears its key or the password', async () => {
    const it = await board({ wifiPassword: WIFI.password });
    const { outcome, said } = await provision(it.path);
    expect(outcome).toEqual({
      result: {
        device_id: 'aer-07',
        mac: '24:0a:c4:00:00:01',
        chip: 'ESP32',
        firmware_version: '1.2.0',
        previous_device_id: null,
        has_claim: true,
        claim_kept: false,
        wifi: 'provisioned',
        address: 'http://10.0.0.7/',
      },
    });
    expect(it.state.identity).toEqual({ op: 'identity', ...IDENTITY });
    expect(said).not.toContain(IDENTITY.key);
    expect(said).not.toContain(IDENTITY.claim);
    expect(said).not.toContain(WIFI.password);
    expect(said).toContain('I (9) wifi: got ip');
  });

  it('whose firmware keeps no claim code gets its identity, and the technician is told of its label', async () => {
    const it = await board({ knowsNoClaim: true });
    const { outcome, said } = await provision(it.path);
    expect(outcome).toMatchObject({ result: { device_id: 'aer-07', has_claim: null } });
    expect(said).toContain('keeps no claim code');
  });

  it('that misses a command is asked again, and an answer that comes late passes for no other', async () => {
    const it = await board({ deafTo: 1 });
    const { outcome } = await provision(it.path, null);
    expect(outcome).toMatchObject({ result: { device_id: 'aer-07', wifi: 'ready' } });
    // on a busy machine once more than that
    const heard = it.state.commands.filter((name, at, all) => name !== all[at - 1]);
    expect(heard).toEqual(['info', 'identity', 'info', 'reboot']);
  });

  it('with the wrong password says so, and can be provisioned again', async () => {
    const it = await board({ wifiPassword: 'another-one' });
    expect((await provision(it.path)).outcome).toMatchObject({
      code: 'WIFI_REFUSED',
      message: 'the board could not join the Wi-Fi network "farm"',
      next: expect.stringContaining('password'),
    });
    expect(it.state.wifi).toBe('ready');
  });

  it.each([
    ['a wrong password', [2, 3], { code: 'WIFI_REFUSED' }],
    ['the right one', [1, 4], 'http://10.0.0.7/'],
  ] as const)(
    'that had a Wi-Fi and answers late is told apart with %s: what it said before is no news',
    async (_what, [type, value], outcome) => {
      const state = improvFrame(IMPROV_TYPE.state, Uint8Array.of(4));
      const url = Buffer.from('http://10.0.0.7/');
      const answers = [
        [],
        [state],
        // the answer to the second question comes after the third
        [
          state,
          improvFrame(IMPROV_TYPE.state, Uint8Array.of(3)),
          improvFrame(type, Uint8Array.of(value)),
          ...(value === 4
            ? [improvFrame(IMPROV_TYPE.result, Uint8Array.of(1, url.length + 1, url.length, ...url))]
            : [state]),
        ],
      ];
      let hear: (bytes: Buffer) => void = () => undefined;
      const console = openConsole({
        link: {
          write: async () => {
            for (const frame of answers.shift() ?? []) hear(Buffer.from(frame));
          },
          onData: (listen) => {
            hear = listen;
            return () => undefined;
          },
          lost: new AbortController().signal,
        },
        // patience ends as soon as nothing more is under way
        later: (_ms, run) => {
          const timer = setImmediate(run);
          return () => clearImmediate(timer);
        },
        signal: new AbortController().signal,
        heardLine: () => undefined,
      });
      const joined = joinWifi(console, WIFI);
      if (typeof outcome === 'string') expect(await joined).toBe(outcome);
      else await expect(joined).rejects.toMatchObject(outcome);
    },
  );

  it.each([
    ['that refuses its identity', { refusesIdentity: 'flash is read-only' }, 'flash is read-only'],
    ['that takes its identity and forgets it', { forgetsIdentity: true }, 'does not have it'],
  ])('%s is refused with the way out', async (_what, faults, message) => {
    const it = await board(faults);
    expect((await provision(it.path)).outcome).toMatchObject({
      code: 'IDENTITY_REFUSED',
      message: expect.stringContaining(message),
      next: expect.stringContaining('erase'),
    });
    // a board without its identity gets no Wi-Fi
    expect(it.state.commands.filter((name) => name.startsWith('improv'))).toEqual([]);
  });

  it('lists the networks it hears, strongest first', async () => {
    const it = await board();
    expect((await run({ kind: 'wifi_scan', port: it.path })).outcome).toEqual({
      result: {
        networks: [
          { ssid: 'farm', rssi: -41, secured: true },
          { ssid: 'far', rssi: -80, secured: true },
        ],
      },
    });
  });

  it('lets its relay click, and tells what the motor draws', async () => {
    const it = await board({ motorMa: 3_100 });
    const { outcome } = await run({ kind: 'self_test', port: it.path, min_current_ma: 1_000 });
    expect(outcome).toMatchObject({ result: { motor_current_ma: 3_100 } });
    expect(it.state.relay).toEqual(['ON', 'OFF']);
  });

  it.each([
    ['whose motor draws nothing', { motorMa: 40 }, 'breaker'],
    ['whose contacts are welded', { stuckOn: true, motorMa: 3_000 }, 'welded'],
  ])('%s fails its self test', async (_what, faults, next) => {
    const it = await board(faults);
    const { outcome } = await run({ kind: 'self_test', port: it.path, min_current_ma: 1_000 });
    expect(outcome).toMatchObject({ code: 'SELF_TEST_FAILED', next: expect.stringContaining(next) });
    expect(it.state.relay.at(-1)).toBe('OFF');
  });

  it('that is locked out does not move its motor', async () => {
    const it = await board({ motorMa: 3_000 });
    await provision(it.path, null);
    const { outcome } = await run({ kind: 'self_test', port: it.path, off_limits: ['aer-07'] });
    expect(outcome).toMatchObject({
      code: 'SELF_TEST_FAILED',
      message: expect.stringContaining('locked out'),
    });
    expect(it.state.relay).toEqual([]);
  });

  it('whose cable is pulled in the middle is told as unplugged', async () => {
    const it = await board({ isMute: true });
    const done = provision(it.path);
    await it.asked();
    await it.close();
    expect((await done).outcome).toMatchObject({ code: 'UNPLUGGED', next: expect.stringContaining('cable') });
  });

  it('is left alone when the technician stops the job', async () => {
    const it = await board({ isMute: true });
    const stop = new AbortController();
    const done = run({ kind: 'wifi_scan', port: it.path }, stop.signal);
    await it.asked();
    stop.abort();
    expect((await done).outcome).toMatchObject({ code: 'CANCELLED' });
  });

  it('of the simulator, which was made by itself from the same protocol, agrees', async () => {
    const simulated = await startBoard({ port: { kind: 'pty' } });
    boards.push(simulated);
    const wifi = { ssid: 'Fazenda', password: 'camarao2026' };
    const refused = await provision(simulated.path(), { ...wifi, password: 'camarao2025' });
    expect(refused.outcome).toMatchObject({ code: 'WIFI_REFUSED' });
    expect((await provision(simulated.path(), wifi)).outcome).toMatchObject({
      result: { device_id: 'aer-07', previous_device_id: 'aer-07', wifi: 'provisioned' },
    });
  });

  it('at a port that is not there is told so', async () => {
    expect((await provision('/dev/ttyUSB99')).outcome).toMatchObject({ code: 'PORT_NOT_FOUND' });
  });
});
