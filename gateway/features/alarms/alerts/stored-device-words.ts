import type { AlertType, Severity, SwitchState } from '#contract/words.ts';
import type { Words } from '#core/notifying.ts';
import type { WhyUnconfirmed } from './confirm-rules.ts';
import {
  heldOffWords,
  type Named,
  noCurrentWords,
  offlineWords,
  STATE,
  unconfirmedWords,
  unstableWords,
} from './device-alert-words.ts';
import type { UnsteadyKind } from './steadiness-rules.ts';

// An alert is stored in Portuguese. Who reads English and is told of it again later gets what these sentences said.

const WANTED = `(${STATE.ON['pt-BR']}|${STATE.OFF['pt-BR']})`;
const WHY: Readonly<Record<WhyUnconfirmed, RegExp>> = {
  unconfirmed: new RegExp(`ordem de ficar ${WANTED} e não confirmou`),
  refused: new RegExp(`recusou a ordem de ficar ${WANTED}(?:: (.*))?\\. Ele continua`),
  never_seen: new RegExp(`deve ficar ${WANTED} e nunca deu sinal`),
  absent: new RegExp(`deve ficar ${WANTED}, mas está sem comunicação`),
  deferred: new RegExp(`deve ficar ${WANTED} e adia a ordem`),
  fell_out: new RegExp(`deve ficar ${WANTED}, confirmou`),
};
const UNSTEADY: Readonly<Record<UnsteadyKind, RegExp>> = {
  two_boards: /duas placas falam/,
  restarts: /reiniciou (\d+) vezes/,
  changes: /mudou de estado (\d+) vezes/,
  deferrals: /adiou (\d+) vezes/,
  connections: /a conexão caiu (\d+) vezes/,
};
const HELD_OFF = /por uma pessoa às (\S+) e (?:(só volta|devia ter voltado) às (\S+);|não volta)/;

type StoredRow = {
  type: AlertType;
  message: string;
  severity: Severity;
  value: number | null;
  threshold: number | null;
};

/** What an alert of a controller says, from its row alone. */
export function storedDeviceWords(row: StoredRow, point: Named): Words {
  const words = storedEnglish(row, point);
  return (language) => (language === 'en' && words !== null ? words('en') : row.message);
}

function storedEnglish({ type, message, value, threshold }: StoredRow, point: Named): Words | null {
  switch (type) {
    case 'DEVICE_OFFLINE':
      return threshold === null ? null : offlineWords(point, threshold);
    case 'NO_CURRENT':
      return value === null ? null : noCurrentWords(point, value);
    case 'COMMAND_NOT_CONFIRMED':
      return threshold === null ? null : storedUnconfirmed(message, point, threshold);
    case 'UNSTABLE':
      return storedUnstable(message, point);
    case 'OFF_SCHEDULE':
      return storedHeldOff(message, point);
    default:
      return null;
  }
}

function storedUnconfirmed(message: string, point: Named, seconds: number): Words | null {
  for (const [why, pattern] of entries(WHY)) {
    const [found, wanted, reason = null] = pattern.exec(message) ?? [];
    if (found === undefined) continue;
    const target: SwitchState = wanted === STATE.ON['pt-BR'] ? 'ON' : 'OFF';
    return unconfirmedWords(point, { why, target, seconds, reason, trouble: null });
  }
  return null;
}

function storedUnstable(message: string, point: Named): Words | null {
  const causes = entries(UNSTEADY).flatMap(([kind, pattern]) => {
    const found = pattern.exec(message);
    return found === null ? [] : [{ kind, times: Number(found[1] ?? 0) }];
  });
  return causes.length === 0 ? null : unstableWords(point, causes);
}

function storedHeldOff(message: string, point: Named): Words | null {
  const [found, since, how, until = null] = HELD_OFF.exec(message) ?? [];
  if (found === undefined || since === undefined) return null;
  return heldOffWords(point, { since, until, isOverdue: how === 'devia ter voltado' });
}

function entries<Key extends string>(table: Readonly<Record<Key, RegExp>>): [Key, RegExp][] {
  // the keys of these tables are their words
  return Object.entries(table) as [Key, RegExp][];
}
