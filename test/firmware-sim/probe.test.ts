import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import ModbusRTU from 'modbus-serial';
import { describe, expect, test } from 'vitest';
import { createSlaves, takeRtuRequests, takeTcpRequests } from '#sim/probe/modbus-slave.ts';
import { pondAt } from '#sim/probe/models.ts';
import { runProbe, startProbePty, startProbeTcp } from '#sim/probe/run-probe.ts';

const still = () => 0.5;
const twoProbes = () =>
  createSlaves({ pond: () => ({ ...pondAt(12, still), dissolved_oxygen: 4.25, temperature: 28.5 }) }, [
    { unitId: 1, model: 'in-situ-odo', fixed: {}, faults: new Set() },
    { unitId: 7, model: 'hach-ldo', fixed: {}, faults: new Set() },
  ]);

const MASTER = 'mbpoll';
const hasMaster = spawnSync(MASTER, ['-V']).error === undefined;

// A master that knows nothing of us. Where it is not installed, this is skipped and shown so.
describe.skipIf(!hasMaster)(`${MASTER}${hasMaster ? '' : ' (is not installed)'}`, () => {
  /** The values it reads, by register; it ends by itself after one poll. */
  async function read(...args: string[]): Promise<string[]> {
    const { stdout } = await promisify(execFile)(MASTER, ['-0', '-1', '-q', '-o', '10', ...args]);
    return [...stdout.matchAll(/^\[(\d+)\]:\s+(\S+)/gm)].map(([, register, value]) => `${register}=${value}`);
  }

  test('reads the same figures at a serial port and over the network', async () => {
    const [line, net] = [
      await startProbePty(twoProbes()),
      await startProbeTcp(twoProbes(), { port: 0, framing: 'tcp' }),
    ];
    const serial = ['-m', 'rtu', '-b', '9600', '-P', 'none'];
    const tcp = ['-m', 'tcp', '-p', String(net.at)];
    try {
      // big-endian floats in input registers, and whole numbers in holding registers
      const oxygen = ['-a', '1', '-t', '3:float', '-B', '-r', '2', '-c', '1'];
      const both = ['-a', '7', '-t', '4', '-r', '0', '-c', '2'];
      expect([
        await read(...serial, ...oxygen, String(line.at)),
        await read(...serial, ...both, String(line.at)),
        await read(...tcp, ...oxygen, '127.0.0.1'),
        await read(...tcp, ...both, '127.0.0.1'),
      ]).toEqual([['2=4.25'], ['0=4250', '1=2850'], ['2=4.25'], ['0=4250', '1=2850']]);
      await expect(read(...tcp, '-a', '7', '-t', '4', '-r', '400', '127.0.0.1')).rejects.toThrow(
        'Illegal data address',
      );
    } finally {
      await line.close();
      await net.close();
    }
  });
});

describe('the simulated probe', () => {
  test('an independent Modbus master reads it at a serial port', async () => {
    const probe = await startProbePty(twoProbes());
    const client = new ModbusRTU.default();
    try {
      await client.connectRTUBuffered(String(probe.at), { baudRate: 9600 });
      client.setTimeout(60_000);
      client.setID(1);
      const { buffer } = await client.readInputRegisters(2, 2);
      expect(buffer.readFloatBE(0)).toBe(4.25);
      client.setID(7);
      const { data } = await client.readHoldingRegisters(0, 2);
      expect(data).toEqual([4250, 2850]);
      await expect(client.readHoldingRegisters(400, 1)).rejects.toThrow(/exception 2/);
    } finally {
      await new Promise<void>((resolve) => client.close(() => resolve()));
      await probe.close();
    }
  });

  test('an independent Modbus master reads it over the network', async () => {
    const probe = await startProbeTcp(twoProbes(), { port: 0, framing: 'tcp' });
    const client = new ModbusRTU.default();
    try {
      await client.connectTCP('127.0.0.1', { port: Number(probe.at) });
      client.setID(7);
      await client.writeRegister(13, 18);
      expect((await client.readHoldingRegisters(13, 1)).data).toEqual([18]);
    } finally {
      await new Promise<void>((resolve) => client.close(() => resolve()));
      await probe.close();
    }
  });

  test('the command line names its port in one line and ends when it is told to', async () => {
    const said: string[] = [];
    const interrupt = new AbortController();
    const terminal = {
      complain: (line: string) => void said.push(line),
      interrupted: interrupt.signal,
      print(line: string) {
        said.push(line);
        interrupt.abort();
      },
    };
    expect(await runProbe(terminal, ['--probe', '--tcp', '0', '--model', 'hach-ldo'])).toBe(0);
    expect(JSON.parse(said[0] ?? '')).toEqual({ tcp: expect.any(Number), model: 'hach-ldo', units: '1' });
    await expect(runProbe(terminal, ['--probe'])).rejects.toThrow('one line');
    await expect(runProbe(terminal, ['--probe', '--pty', '--fault', 'x'])).rejects.toThrow(
      '--fault must be of',
    );
  });

  test('a pond has least oxygen at dawn and most in the afternoon', () => {
    const oxygen = Array.from({ length: 24 }, (_, hour) => pondAt(hour, still).dissolved_oxygen);
    const least = Math.min(...oxygen);
    const most = Math.max(...oxygen);
    expect([oxygen.indexOf(least), oxygen.indexOf(most)]).toEqual([5, 16]);
    expect(least).toBeLessThan(4);
    expect(most).toBeGreaterThan(8);
  });

  test('whatever bytes come over the line, it neither breaks nor collects them', () => {
    const slaves = twoProbes();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const rest = takeRtuRequests(bytes, (frame) => void slaves.rtu(frame));
        expect(rest.length).toBeLessThan(8);
        expect(takeTcpRequests(bytes, (frame) => void slaves.tcp(frame)).length).toBeLessThan(261);
      }),
      { numRuns: 200 },
    );
  });
});
