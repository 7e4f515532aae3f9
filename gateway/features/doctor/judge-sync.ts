import type { Finding } from '#contract/resources/system-doctor.ts';
import { agoOf, below, finding, say, written } from './finding.ts';
import type { DoctorFacts } from './ports.ts';

const SYNC_WORDS: Readonly<Record<string, ['ok' | 'note' | 'warn' | 'bad', string, string]>> = {
  unpaired: ['note', 'não há instância na nuvem ligada', 'no hosted instance is paired'],
  connected: ['ok', 'em dia com a nuvem', 'in step with the hosted instance'],
  catching_up: ['ok', 'enviando o que se acumulou', 'catching up'],
  comparing: ['ok', 'comparando com a nuvem', 'comparing with the hosted instance'],
  offline: [
    'warn',
    'sem contato com a nuvem; o controle local segue',
    'no contact with the hosted instance; local control goes on',
  ],
  upgrade_needed: ['warn', 'uma das duas versões é velha demais', 'one of the two versions is too old'],
  revoked: ['bad', 'a nuvem desligou este gateway', 'the hosted instance ended the pairing'],
  fenced: ['bad', 'outra caixa tomou o lugar deste gateway', 'another box took the place of this gateway'],
};
const OFFLINE_DAYS = { warn: 14, bad: 3 };

export function checkSync({ sync }: DoctorFacts): Finding[] {
  if (sync === null) return [];
  const [severity, portuguese, english] = SYNC_WORDS[sync.state] ?? ['note', sync.state, sync.state];
  const waiting = say(`${sync.waitingRows} mudanças esperam`, `${sync.waitingRows} changes wait`);
  const last = sync.contactAgeS === null ? null : agoOf(sync.contactAgeS * 1000);
  const found = [
    finding(
      'sync_state',
      severity,
      say(
        `Sincronização: ${portuguese}; ${waiting['pt-BR']}${last === null ? '' : `; último contato há ${last['pt-BR']}`}.`,
        `Sync: ${english}; ${waiting.en}${last === null ? '' : `; last contact ${last.en} ago`}.`,
      ),
      {
        measured: [sync.waitingRows, 'rows'],
        ...(severity === 'ok' ? {} : { next: say('Veja GET /sync/status.', 'See GET /sync/status.') }),
      },
    ),
  ];
  if (sync.parkedRows > 0) {
    found.push(
      finding(
        'sync_parked',
        'warn',
        say(
          `${sync.parkedRows} linhas não puderam ser aplicadas.`,
          `${sync.parkedRows} rows could not be applied.`,
        ),
        {
          next: say('Veja GET /sync/parked e tente de novo.', 'See GET /sync/parked and try again.'),
          measured: [sync.parkedRows, 'rows'],
        },
      ),
    );
  }
  if (sync.daysLeft !== null && below(sync.daysLeft, OFFLINE_DAYS) !== 'ok') {
    const days = written(sync.daysLeft, 1);
    found.push(
      finding(
        'sync_offline_days',
        below(sync.daysLeft, OFFLINE_DAYS),
        say(
          `O diário de mudanças enche em ${days['pt-BR']} dias.`,
          `The log of changes is full in ${days.en} days.`,
        ),
        {
          next: say('Ligue a internet ou dê mais espaço.', 'Connect the internet or give it more room.'),
          measured: [sync.daysLeft, 'd'],
        },
      ),
    );
  }
  return found;
}
