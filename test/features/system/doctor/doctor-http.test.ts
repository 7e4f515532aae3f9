import { expect, it } from 'vitest';
import { type DoctorReport, doctorAnswer } from '#contract/resources/system-doctor.ts';
import { type App, aControlPoint, aFarmWith, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { readBundle } from '#test/read-bundle.ts';

onBothEngines('the doctor of a running instance', (_open, engine) => {
  async function withApp(run: (app: App) => Promise<void>): Promise<void> {
    const app = await startApp(engine);
    try {
      await run(app);
    } finally {
      await app.close();
    }
  }
  async function report(app: App, token: string): Promise<DoctorReport> {
    const { status, body } = await app.call('GET', '/system/doctor', { token });
    expect(status).toBe(200);
    return doctorAnswer.parse(body);
  }

  it('answers administrators, and at a box its owner, with all that is on it', () =>
    withApp(async (app) => {
      const mine = await aFarmWith(app);
      const theirs = await aFarmWith(app, { name: 'Fazenda Sul' });
      const own = await aControlPoint(app, mine);
      const other = await aControlPoint(app, theirs);
      const admin = await app.signUp({ role: 'ADMIN' });
      const stranger = await app.signUp();
      const named = (found: DoctorReport) =>
        new Set(
          found.findings.flatMap(({ control_point: about }) => (about === null ? [] : [about.device_id])),
        );
      for (const token of [mine.token, admin.token])
        expect(named(await report(app, token))).toEqual(new Set([own.device_id, other.device_id]));
      expect((await app.call('GET', '/system/doctor', { token: theirs.token })).status).toBe(403);
      expect((await app.call('GET', '/system/doctor', { token: stranger.token })).status).toBe(403);
      expect((await app.call('GET', '/system/doctor')).status).toBe(401);
    }));

  it('sees the clock, the disk, the database and what controllers tell', () =>
    withApp(async (app) => {
      const { token, farmId } = await aFarmWith(app);
      const { id, device_id } = await aControlPoint(app, { token, farmId });
      await app.call('POST', '/devices/heartbeat', {
        token,
        body: { device_id, current_status: 'OFF', rssi: -81 },
      });
      const idsOf = (found: DoctorReport) => found.findings.map((one) => one.id);
      expect(idsOf(await report(app, token))).toEqual(
        expect.arrayContaining([
          'clock_trust',
          'disk_space',
          'memory_program',
          'database_size',
          'versions',
          'controller_weak_wifi',
          'controller_unkeyed',
        ]),
      );
      app.clock.advance(3_600_000);
      app.stepWallClock(400 * 86_400_000);
      const later = await report(app, token);
      expect(later.worst).toBe('bad');
      expect(idsOf(later)).toEqual(expect.arrayContaining(['clock_untrusted', 'controller_silent']));
      expect(later.findings.find((one) => one.id === 'controller_silent')?.control_point?.id).toBe(id);
    }));

  it('gives the support bundle to administrators alone, and notes who took it', () =>
    withApp(async (app) => {
      const { token } = await aFarmWith(app);
      const admin = await app.signUp({ role: 'ADMIN' });
      expect((await app.call('GET', '/system/support-bundle', { token })).status).toBe(403);
      const response = await fetch(`${app.base}/api/v1/system/support-bundle`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      });
      expect(response.headers.get('content-type')).toBe('application/gzip');
      expect(response.headers.get('content-disposition')).toMatch(/filename="support-\w+\.tar\.gz"/);
      const files = readBundle(new Uint8Array(await response.arrayBuffer()));
      expect([...files.keys()].map((name) => name.replace('support/', '')).sort()).toEqual([
        'README.txt',
        'configuration.json',
        'doctor.json',
        'doctor.txt',
        'log.txt',
        'metrics.txt',
        'readiness.json',
        'schema.sql',
        'tables.json',
        'versions.json',
      ]);
      expect(files.get('support/schema.sql')).toContain('control_points');
      expect(files.get('support/metrics.txt')).toContain('gateway_info');
      expect(files.get('support/tables.json')).toContain('"name": "farms"');
      const entries = await app.database.read
        .selectFrom('logs')
        .select(['user_id', 'action'])
        .where('action', '=', 'support_bundle')
        .execute();
      expect(entries).toEqual([{ user_id: admin.user.id, action: 'support_bundle' }]);
    }));

  it('shows its local pages to nobody without the key of this run', () =>
    withApp(async (app) => {
      for (const authorization of ['', 'Local x', 'Local '])
        expect((await fetch(`${app.base}/local/doctor`, { headers: { authorization } })).status).toBe(404);
    }));
});
