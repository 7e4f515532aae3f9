import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isPrivateAddress } from '#adapters/http/client-address.ts';
import { openBus } from '#adapters/modbus/open-bus.ts';
import type { BusAddress, BusLink } from '#features/equipment/probes/ports.ts';
import { createSlaves, type ProbeFault, type SimProbe } from '#sim/probe/modbus-slave.ts';
import { pondAt } from '#sim/probe/models.ts';
import { startProbePty, startProbeTcp } from '#sim/probe/run-probe.ts';

const deps = { monotonic: () => performance.now(), isOnFarmNetwork: isPrivateAddress };
const oxygen = { unitId: 1, functionCode: 4, address: 2, count: 2 } as const;
const hurried = { timeoutMs: 150, tries: 1, lateMs: 0 };
/** For what does answer, however busy this machine is elsewhere. */
const patient = { ...hurried, timeoutMs: 30_000 };

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

function probes(...faults: ProbeFault[]) {
  const pond = () => ({ ...pondAt(12, () => 0.5), dissolved_oxygen: 4.25, temperature: 28, salinity: 18 });
  const probe: SimProbe = { unitId: 1, model: 'in-situ-odo', fixed: {}, faults: new Set(faults) };
  return { probe, slaves: createSlaves({ pond }, [probe]) };
}

const at = (address: Partial<BusAddress>): BusAddress => ({
  kind: 'serial',
  device: null,
  baud: 9600,
  parity: 'none',
  stopBits: 1,
  host: null,
  port: 502,
  ...address,
});

async function open(address: BusAddress): Promise<BusLink> {
  const result = await openBus(deps, address);
  if (result.is === 'trouble') throw new Error(result.code);
  opened.push(result.link);
  return result.link;
}

async function onWire(...faults: ProbeFault[]) {
  const { probe, slaves } = probes(...faults);
  const started = await startProbePty(slaves);
  opened.push(started);
  return { probe, link: await open(at({ device: String(started.at) })) };
}

async function onNetwork(framing: 'tcp' | 'rtu', ...faults: ProbeFault[]) {
  const { probe, slaves } = probes(...faults);
  const started = await startProbeTcp(slaves, { port: 0, framing });
  opened.push(started);
  const kind = framing === 'tcp' ? 'tcp' : 'rtu_over_tcp';
  return { probe, started, link: await open(at({ kind, host: '127.0.0.1', port: Number(started.at) })) };
}

/** The first word of a float; those of these tests have nothing in their second. */
function wordOf(value: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return bytes.readUInt16BE(0);
}

const VALUE = { is: 'words', words: [0x4088, 0] };

describe('a probe on a bus', () => {
  test('is read at a serial port, over Modbus TCP and through a serial server alike', async () => {
    const started = await startProbePty(probes().slaves);
    opened.push(started);
    const serial = await open(at({ device: String(started.at) }));
    expect(await serial.read(oxygen, patient)).toEqual(VALUE);
    expect(await (await onNetwork('tcp')).link.read(oxygen, patient)).toEqual(VALUE);
    expect(await (await onNetwork('rtu')).link.read(oxygen, patient)).toEqual(VALUE);
  });

  test('a port is this program’s alone; a second opener is told so', async () => {
    const started = await startProbePty(probes().slaves);
    opened.push(started);
    await open(at({ device: String(started.at) }));
    expect(await openBus(deps, at({ device: String(started.at) }))).toEqual({
      is: 'trouble',
      code: 'PORT_BUSY',
    });
  });

  test('a pulled cable is told, to the read that waits and to all that follow', async () => {
    const started = await startProbePty(probes('silent').slaves);
    const link = await open(at({ device: String(started.at) }));
    const waiting = link.read(oxygen, { ...patient, tries: 3 });
    await started.close();
    expect(await waiting).toMatchObject({ code: 'UNPLUGGED' });
    expect(await link.read(oxygen, hurried)).toMatchObject({ code: 'UNPLUGGED' });
    expect(link.isOpen()).toBe(false);
  });

  test('each fault of a line has its name', async () => {
    const said = async (fault: ProbeFault, timeoutMs: number) => {
      const { link } = await onNetwork('rtu', fault);
      const result = await link.read(oxygen, { ...hurried, timeoutMs });
      return [fault, result.is === 'words' ? 'read' : result.code];
    };
    // what comes of the garbled ones has to be there before they are given up
    const all = await Promise.all([
      said('silent', hurried.timeoutMs),
      said('crc', 2_000),
      said('collision', 2_000),
      said('exception', patient.timeoutMs),
      said('noise', patient.timeoutMs),
      said('echo', patient.timeoutMs),
    ]);
    expect(Object.fromEntries(all)).toEqual({
      silent: 'NO_ANSWER',
      crc: 'GARBLED',
      collision: 'GARBLED',
      exception: 'REFUSED',
      noise: 'read',
      echo: 'read',
    });
  });

  test('a register the probe does not know is refused with its exception, and asked for once', async () => {
    const { link } = await onNetwork('tcp');
    const result = await link.read({ ...oxygen, address: 500 }, { ...patient, tries: 3 });
    expect(result).toEqual({ is: 'trouble', code: 'REFUSED', exception: 2 });
  });

  test('an answer that comes after its time spoils none of the next', async () => {
    const { probe, link } = await onNetwork('tcp', 'late');
    expect(await link.read(oxygen, hurried)).toMatchObject({ code: 'NO_ANSWER' });
    probe.faults.clear();
    const words = await Promise.all([link.read(oxygen, patient), link.read(oxygen, patient)]);
    expect(words).toEqual([VALUE, VALUE]);
  });

  test('one that answers late is read register by register, none taken for another, on a cable and through a serial server', async () => {
    const lines = await Promise.all([onWire('late'), onNetwork('rtu', 'late')]);
    const read = lines.map(async ({ probe, link }) => {
      probe.lateMs = 130;
      const patience = { timeoutMs: 60, tries: 3, lateMs: 1_000 };
      const said = [];
      for (const address of [0x06, 0x10, 0x02]) said.push(await link.read({ ...oxygen, address }, patience));
      // given up before its answer, then asked for something else
      said.push(await link.read({ ...oxygen, address: 0x06 }, { ...patience, tries: 1 }));
      probe.faults.clear();
      said.push(await link.read({ ...oxygen, address: 0x10 }, patience));
      return said;
    });
    const [temperature, salinity] = [28, 18].map((value) => ({ is: 'words', words: [wordOf(value), 0] }));
    const said = [
      temperature,
      salinity,
      VALUE,
      { is: 'trouble', code: 'NO_ANSWER', exception: null },
      salinity,
    ];
    expect(await Promise.all(read)).toEqual([said, said]);
  });

  test('a late answer that came while the gateway itself stood still is not taken for that of another register', async () => {
    const { slaves } = probes();
    const asked: Uint8Array[] = [];
    const server = createServer((socket) => {
      socket.on('data', (request) => {
        const answer = slaves.rtu(request)?.bytes ?? '';
        if (asked.push(request) > 1) return void socket.write(answer);
        // and nothing is heard until the unit may be asked for others
        const standStill = () => {
          socket.write(answer);
          const until = performance.now() + 300;
          while (performance.now() < until);
        };
        setTimeout(() => setImmediate(standStill), 60);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    opened.push({ close: async () => void server.close() });
    // a server that listens on a port has an address with one
    const { port } = server.address() as AddressInfo;
    const link = await open(at({ kind: 'rtu_over_tcp', host: '127.0.0.1', port }));
    const hasty = { timeoutMs: 20, tries: 1, lateMs: 200 };
    expect(await link.read({ ...oxygen, address: 0x06 }, hasty)).toMatchObject({ code: 'NO_ANSWER' });
    expect(await link.read(oxygen, patient)).toEqual(VALUE);
  });

  test('one that answers late keeps no other probe of its bus waiting', async () => {
    const { probe, link } = await onNetwork('rtu', 'silent');
    await link.read(oxygen, { ...hurried, timeoutMs: 30, lateMs: 600_000 });
    probe.unitId = 2;
    probe.faults.clear();
    expect(await link.read({ ...oxygen, unitId: 2 }, patient)).toEqual(VALUE);
  });

  test('what is no port, and what is not on the farm network, is not opened', async () => {
    expect(await openBus(deps, at({ device: '/dev/does-not-exist' }))).toMatchObject({
      code: 'PORT_NOT_FOUND',
    });
    expect(await openBus(deps, at({ device: '/dev/null' }))).toMatchObject({ code: 'NOT_A_SERIAL_PORT' });
    const far = { kind: 'tcp', host: '203.0.113.9', port: 502 } as const;
    expect(await openBus(deps, at(far))).toMatchObject({ code: 'NOT_ON_FARM_NETWORK' });
    const nobody = { kind: 'tcp', host: '127.0.0.1', port: 9 } as const;
    expect(await openBus(deps, at(nobody))).toMatchObject({ code: 'UNREACHABLE' });
  });
});
