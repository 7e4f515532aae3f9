import type { Arch, Manifest } from './package-file.ts';
import { type RefusalCode, UpdateRefused } from './update-trouble.ts';
import { compareVersions } from './version-order.ts';

export type UpdateFacts = {
  runningVersion: string;
  arch: Arch | null;
  /** Names of migrations that the database has. */
  applied: readonly string[];
  freeBytes: number;
  neededBytes: number;
  /** Active alerts that say animals are in danger, in the words of their type. */
  oxygenAlarms: readonly string[];
  isAnotherRunning: boolean;
  allowOlder: boolean;
};

/** Room that stays free after an update, and while its package comes: control and the journal go on writing. */
export const SPARE_BYTES = 128 * 1024 * 1024;

/** Throws UpdateRefused when this is not the package, or not the time. Nothing was changed until then. */
export function requireFit(manifest: Manifest, facts: UpdateFacts): void {
  const refuse = (code: RefusalCode, message: string): never => {
    throw new UpdateRefused(code, message);
  };
  if (facts.isAnotherRunning) refuse('ALREADY_RUNNING', 'another update is under way; wait for it');
  if (facts.arch !== manifest.arch)
    refuse('FOREIGN', `the package is for ${manifest.arch}, this machine is ${facts.arch ?? 'another kind'}`);
  const order = compareVersions(manifest.version, facts.runningVersion);
  if (order === 0) refuse('SAME', `version ${manifest.version} runs already`);
  if (order < 0 && !facts.allowOlder)
    refuse(
      'OLDER',
      `the package is older (${manifest.version}) than what runs (${facts.runningVersion}); --allow-older takes it all the same`,
    );
  const applied = new Set(facts.applied);
  const oneWay = manifest.migrations.filter(({ name, expandOnly }) => !expandOnly && !applied.has(name));
  if (oneWay.length > 0)
    refuse(
      'NOT_REVERSIBLE',
      `after ${oneWay[0]?.name} this version could not run again; install the package (.deb) by hand after a backup`,
    );
  requireRoom(facts.neededBytes, facts.freeBytes);
  requireCalm(facts.oxygenAlarms);
}

export function requireRoom(neededBytes: number, freeBytes: number): void {
  const wanted = neededBytes + SPARE_BYTES;
  if (freeBytes >= wanted) return;
  throw new UpdateRefused(
    'DISK_SHORT',
    `the update needs ${megabytes(wanted)} MB, ${megabytes(freeBytes)} MB are free`,
  );
}

export function requireCalm(oxygenAlarms: readonly string[]): void {
  if (oxygenAlarms.length === 0) return;
  throw new UpdateRefused(
    'OXYGEN_ALARM',
    `an alarm is active (${oxygenAlarms.join(', ')}); update when it is over`,
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);
