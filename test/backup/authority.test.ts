import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import { runBackup } from '#cli/backup.ts';
import { runRestore } from '#cli/restore.ts';
import type { Identity } from '#features/system/trust/identity.ts';
import { aSecuredGateway } from '#test/a-secured-gateway.ts';
import { newFolder, removeFolders } from '../boot/a-box.ts';

async function say(command: typeof runBackup, args: readonly string[], key?: string) {
  const lines: string[] = [];
  const ask = {
    environment: key === undefined ? {} : { RECOVERY_KEY: key },
    print: (line: string) => void lines.push(line),
    input: Readable.from(['\n']),
  };
  const code = await command(args, ask, Date.now);
  return { code, text: lines.join('\n') };
}

async function identityOn(data: string): Promise<Identity> {
  const gateway = await aSecuredGateway({ data });
  const told = (await gateway.plain('/api/v1/system/identity')).body as Identity;
  await gateway.close({ keepData: true });
  return told;
}

const fileIn = (data: string, name = 'authority.json') => join(data, 'tls', name);

describe('the authority that everything pins', () => {
  const data = newFolder();
  const stick = newFolder();
  let first: Identity;
  let key: string;
  let backup: string;

  beforeAll(async () => {
    first = await identityOn(data);
    const made = await say(runBackup, ['--data', data, '--to', stick]);
    key = /([0-9A-Z]{4}-){7}[0-9A-Z]{4}/.exec(made.text)?.[0] ?? '';
    backup = join(stick, readdirSync(stick).find((name) => name.endsWith('.backup')) ?? '');
  });
  afterAll(removeFolders);

  it('is in a backup only sealed', () => {
    const { present } = JSON.parse(readFileSync(fileIn(data), 'utf8')) as { present: { key: string } };
    const written = readFileSync(backup).toString('latin1');
    for (const secret of ['PRIVATE KEY', ...present.key.split('\n').slice(1, 3)])
      expect(written).not.toContain(secret);
  });

  it('comes to a new box with a restore, readable by the owner alone', async () => {
    const box = newFolder();
    const dry = await say(runRestore, ['--data', box, '--from', stick, '--dry-run'], key);
    expect(dry.text).toContain(`authority      ${first.authority?.fingerprint_sha256}`);
    const done = await say(runRestore, ['--data', box, '--from', stick], key);
    expect(done.text).toContain('The farm authority is back');
    expect(statSync(fileIn(box)).mode & 0o777).toBe(0o600);
    expect(await identityOn(box)).toMatchObject({
      gateway_id: first.gateway_id,
      authority: first.authority,
    });
  });

  it('comes back alone beside a gateway that runs, where it was damaged', async () => {
    const box = newFolder();
    await say(runRestore, ['--data', box, '--from', stick], key);
    await identityOn(box);
    for (const name of ['authority.json', 'authority.spare.json']) writeFileSync(fileIn(box, name), 'rot');
    const gateway = await aSecuredGateway({ data: box });
    const check = async () =>
      ((await gateway.plain('/readyz')).body as { checks: { tls: { ok: boolean } } }).checks.tls.ok;
    expect(await check()).toBe(false);
    const done = await say(runRestore, ['--data', box, '--from', stick, '--authority-only'], key);
    expect(done).toMatchObject({ code: 0, text: expect.stringContaining('is back') });
    await gateway.look();
    expect(await check()).toBe(true);
    await gateway.close({ keepData: true });
    expect((await identityOn(box)).authority).toEqual(first.authority);
  });

  it('that was rotated since stays when an older backup comes back, and another one goes', async () => {
    const box = newFolder();
    await say(runRestore, ['--data', box, '--from', stick], key);
    const admin = (...args: string[]) => runAdmin([...args, '--data', box], {}, () => undefined);
    expect(await admin('rotate-authority', '--cross-over-at', new Date().toISOString())).toBe(0);
    const rotated = await identityOn(box);
    const again = await say(runRestore, ['--data', box, '--from', stick], key);
    expect(again.text).toContain('newer than the backup, and stays');
    expect((await identityOn(box)).authority).toEqual(rotated.authority);
    expect(rotated.authority).not.toEqual(first.authority);

    const other = newFolder();
    await identityOn(other);
    const done = await say(runRestore, ['--data', other, '--from', stick], key);
    expect(done.text).toContain('The farm authority is back');
    expect((await identityOn(other)).authority).toEqual(first.authority);
    expect(readdirSync(join(other, 'tls')).some((name) => name.includes('before-restore'))).toBe(true);
  });
});
