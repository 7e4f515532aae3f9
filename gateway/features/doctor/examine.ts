import {
  type DoctorReport,
  type Finding,
  type FindingSeverity,
  SEVERITIES_OF_FINDINGS,
} from '#contract/resources/system-doctor.ts';
import { isoOf } from '#core/kernel.ts';
import { finding, say } from './finding.ts';
import { checkClock } from './judge-clock.ts';
import { checkBroker, checkCertificates, checkLogs, checkPorts } from './judge-connections.ts';
import { checkDatabase } from './judge-database.ts';
import { checkBackup, checkControllers } from './judge-farm.ts';
import { checkCard, checkModem, checkProbes, checkSerialPorts } from './judge-field.ts';
import { checkDisk, checkMachine, checkMemory } from './judge-machine.ts';
import { checkCloud, checkSntp } from './judge-network.ts';
import { checkEventLoop, checkRun, checkVersions } from './judge-program.ts';
import { checkSync } from './judge-sync.ts';
import type { DoctorFacts } from './ports.ts';

/** Every check: facts in, findings out. A check without its facts finds nothing. Another one is a line here. */
const CHECKS: readonly ((facts: DoctorFacts) => Finding[])[] = [
  checkRun,
  checkClock,
  checkDisk,
  checkCard,
  checkMemory,
  checkMachine,
  checkDatabase,
  checkBackup,
  checkCertificates,
  checkPorts,
  checkBroker,
  checkControllers,
  checkProbes,
  checkModem,
  checkSerialPorts,
  checkSync,
  checkCloud,
  checkSntp,
  checkEventLoop,
  checkVersions,
  checkLogs,
  checkUnknown,
];

/** What all checks find, worst first. */
export function examine(facts: DoctorFacts): DoctorReport {
  const findings = CHECKS.flatMap((check) => check(facts)).sort(
    (a, b) => rankOf(b.severity) - rankOf(a.severity),
  );
  return {
    made_at: isoOf(facts.now),
    version: facts.version,
    role: facts.role,
    is_running: facts.run?.state === 'running',
    worst: findings[0]?.severity ?? 'ok',
    findings,
  };
}

const rankOf = (severity: FindingSeverity): number => SEVERITIES_OF_FINDINGS.indexOf(severity);

/** What could not be looked at is told, never taken for well. */
function checkUnknown({ unknown }: DoctorFacts): Finding[] {
  return Object.entries(unknown).map(([section, reason]) =>
    finding(
      `${section}_unknown`,
      'warn',
      say(
        `Não foi possível examinar "${section}": ${reason}`,
        `"${section}" could not be looked at: ${reason}`,
      ),
      { next: say('Veja direitos e arquivos; tente de novo.', 'See to rights and files; try again.') },
    ),
  );
}
