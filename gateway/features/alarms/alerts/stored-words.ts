import type { AlertType, Severity, SwitchState } from '#contract/words.ts';
import type { SubjectNames } from '#core/alerting.ts';
import type { Language, Words } from '#core/notifying.ts';
import { ammoniaMessageIn, withGapOf } from '#science/advice/water-alert-text.ts';
import { clockWords, diskWords, measuredWords, SIMULATED, simulatedWords } from './alert-words.ts';
import type { WhyUnconfirmed } from './confirm-rules.ts';
import type { UnsteadyKind } from './device-alert-rules.ts';
import {
  heldOffWords,
  type Named,
  noCurrentWords,
  offlineWords,
  powerGuessedWords,
  powerToldWords,
  STATE,
  silentGatewayWords,
  unconfirmedWords,
  unstableWords,
} from './device-alert-words.ts';

// An alert is stored in Portuguese. Who reads another language and is told of it again later gets what these sentences said, with
// every name and figure in them.

type StoredRow = {
  type: AlertType;
  message: string;
  severity: Severity;
  parameter: string | null;
  value: number | null;
  threshold: number | null;
};

/** What relays say of themselves, from Portuguese; null: no sentence of theirs. */
export type TroubleIn = (language: Language, portuguese: string) => string | null;

/** What an alert says, from its row alone: its own words were made by who raised it, and only the Portuguese are kept. */
export function storedWords(row: StoredRow, names: SubjectNames, troubleIn: TroubleIn): Words {
  const { type, value, threshold, parameter } = row;
  if (type === 'CLOCK_UNTRUSTED') return clockWords;
  if (type === 'DISK_FULL') return diskWords;
  if (parameter !== null && value !== null && threshold !== null && names.pond !== null) {
    const words = measuredWords({ type, parameter, value, threshold }, names);
    // the message of ammonia has it on both bases, and the basis of what was typed is in it alone
    const ofAmmonia: Words = (language) =>
      language === 'pt-BR'
        ? row.message
        : (ammoniaMessageIn(language, row.message) ?? words?.(language) ?? row.message);
    const ofOthers: Words = (language) =>
      words === null ? row.message : withGapOf(row.message, words(language), language);
    if (words !== null) return parameter === 'ammonia' ? ofAmmonia : ofOthers;
  }
  const words = storedFacts(row, names, troubleIn);
  return (language) => (language !== 'pt-BR' && words !== null ? words(language) : row.message);
}

function storedFacts(row: StoredRow, names: SubjectNames, troubleIn: TroubleIn): Words | null {
  const mark = `${SIMULATED['pt-BR']}: `;
  if (row.message.startsWith(mark)) {
    const words = storedFacts({ ...row, message: row.message.slice(mark.length) }, names, troubleIn);
    return words === null ? null : simulatedWords(words);
  }
  if (row.type === 'POWER_FAILURE') return storedPowerFailure(row.message);
  if (row.type === 'GATEWAY_OFFLINE') return storedSilentGateway(row.message);
  return names.controlPoint === null ? null : storedDevice(row, names.controlPoint, troubleIn);
}

function storedDevice(
  { type, message, value, threshold }: StoredRow,
  point: Named,
  troubleIn: TroubleIn,
): Words | null {
  switch (type) {
    case 'DEVICE_OFFLINE':
      return threshold === null ? null : offlineWords(point, threshold);
    case 'NO_CURRENT':
      return value === null ? null : noCurrentWords(point, value);
    case 'COMMAND_NOT_CONFIRMED':
      return threshold === null ? null : storedUnconfirmed(message, { point, seconds: threshold, troubleIn });
    case 'UNSTABLE':
      return storedUnstable(message, point);
    case 'OFF_SCHEDULE':
      return storedHeldOff(message, point);
    default:
      return null;
  }
}

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

const SILENT_GATEWAY = /^O gateway (.+) está sem comunicação há (\d+) minutos\./;
const POWER_TOLD = /^Sem energia da rede, informado por: (.+?)(?:; sem comunicação desde então: (.+))?$/;
const POWER_GUESSED = /^(\d+) de (\d+) controladores ficaram sem comunicação em 60 s: (.+)$/;
const AND_MORE = / e mais (\d+)$/;

function storedUnconfirmed(
  message: string,
  { point, seconds, troubleIn }: { point: Named; seconds: number; troubleIn: TroubleIn },
): Words | null {
  for (const [why, pattern] of entries(WHY)) {
    const [found, wanted, reason = null] = pattern.exec(message) ?? [];
    if (found === undefined) continue;
    const target: SwitchState = wanted === STATE.ON['pt-BR'] ? 'ON' : 'OFF';
    const words = unconfirmedWords(point, { why, target, seconds, reason, trouble: null });
    // the end of these sentences names nothing, so it is found whatever the point is called by now
    const end = words('pt-BR').slice(-20);
    const [, trouble = ''] = message.split(end);
    // in its own words rather than not at all
    return (language) =>
      trouble === ''
        ? words(language)
        : `${words(language)} ${troubleIn(language, trouble.trim()) ?? trouble.trim()}`;
  }
  return null;
}

/** Names stay as they are; of more than twenty the rest is counted. */
const listIn = (list: string, language: Language): string =>
  list.replace(AND_MORE, { 'pt-BR': ' e mais $1', en: ' and $1 more', es: ' y $1 más' }[language]);

function storedPowerFailure(message: string): Words | null {
  const [told, tellers, silent] = POWER_TOLD.exec(message) ?? [];
  if (told !== undefined && tellers !== undefined)
    return (language) =>
      powerToldWords(
        listIn(tellers, language),
        silent === undefined ? '' : listIn(silent, language),
      )(language);
  const [guessed, count, online, list] = POWER_GUESSED.exec(message) ?? [];
  if (guessed === undefined || list === undefined) return null;
  return (language) => powerGuessedWords(Number(count), Number(online), listIn(list, language))(language);
}

function storedSilentGateway(message: string): Words | null {
  const [found, name, minutes] = SILENT_GATEWAY.exec(message) ?? [];
  return found === undefined || name === undefined ? null : silentGatewayWords(name, Number(minutes));
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
