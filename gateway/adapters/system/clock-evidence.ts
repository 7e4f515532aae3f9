import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ClockEvidence } from '#core/clock-trust.ts';

const run = promisify(execFile);
const ASK_TIMEOUT_MS = 2_000;

/** Asks the machine what it knows of its clock. Answers null where it knows nothing; never throws. */
export async function clockEvidence(): Promise<ClockEvidence> {
  return { isSynchronised: await isSynchronised(), hasBatteryClock: hasBatteryClock() };
}

async function isSynchronised(): Promise<boolean | null> {
  if (existsSync('/run/systemd/timesync/synchronized')) return true;
  try {
    const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
      timeout: ASK_TIMEOUT_MS,
    });
    const word = stdout.trim();
    return word === 'yes' ? true : word === 'no' ? false : null;
  } catch {
    // no systemd here (a container, Windows, macOS): nothing is known
    return null;
  }
}

/** Raspberry Pi boards up to the fourth have none; other machines have one unless Linux says otherwise. */
function hasBatteryClock(): boolean | null {
  if (existsSync('/sys/class/rtc/rtc0')) return true;
  try {
    return readFileSync('/proc/device-tree/model', 'utf8').includes('Raspberry Pi') ? false : null;
  } catch {
    // only boards described by a device tree have the file
    return null;
  }
}
