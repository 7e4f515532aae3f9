import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { ageOf, agoOf, below, finding, say, written } from './finding.ts';
import type { DoctorFacts, SyncFacts } from './ports.ts';

type State = { severity: 'ok' | 'warn' | 'bad'; what: InEach; next: InEach | null };

const STATES: Readonly<Record<SyncFacts['state'], State>> = {
  connected: {
    severity: 'ok',
    what: say('em dia com a nuvem', 'in step with the hosted instance', 'al día con la nube'),
    next: null,
  },
  catching_up: {
    severity: 'ok',
    what: say('enviando o que se acumulou', 'sending what has gathered', 'enviando lo que se acumuló'),
    next: null,
  },
  comparing: {
    severity: 'ok',
    what: say('comparando com a nuvem', 'comparing with the hosted instance', 'comparando con la nube'),
    next: null,
  },
  offline: {
    severity: 'warn',
    what: say(
      'sem contato com a nuvem; o controle na fazenda segue',
      'no contact with the hosted instance; control on the farm goes on',
      'sin contacto con la nube; el control en la camaronera sigue',
    ),
    next: say(
      'Veja a internet da fazenda; o que esperou é enviado por si. Mais no console, em Sistema → Sincronia.',
      'See to the internet of the farm; what waited is sent by itself. More in the console, at System → Sync.',
      'Vea el internet de la camaronera; lo que esperó se envía solo. Más en el panel, en Sistema → Sincronización.',
    ),
  },
  upgrade_needed: {
    severity: 'warn',
    what: say(
      'as versões do gateway e da nuvem não combinam; nada se perde',
      'the versions of gateway and hosted instance do not fit; nothing is lost',
      'las versiones del gateway y de la nube no coinciden; no se pierde nada',
    ),
    next: say(
      'Atualize o gateway (docs/pt-br/install.md).',
      'Update the gateway (docs/en/install.md).',
      'Actualice el gateway (docs/es/install.md).',
    ),
  },
  revoked: {
    severity: 'bad',
    what: say(
      'a nuvem desvinculou este gateway',
      'the hosted instance unpaired this gateway',
      'la nube desvinculó este gateway',
    ),
    next: say(
      'Se foi engano, vincule-o de novo no console, em Sistema → Sincronia.',
      'If that was a mistake, pair it again in the console, at System → Sync.',
      'Si fue un error, vincúlelo de nuevo en el panel, en Sistema → Sincronización.',
    ),
  },
  farm_moved: {
    severity: 'warn',
    what: say(
      'uma fazenda desta caixa foi retirada dela na nuvem; aqui ela não é mais controlada',
      'a farm of this box was taken off it in the cloud; it is not run here any more',
      'una camaronera de esta caja fue retirada de ella en la nube; aquí ya no se controla',
    ),
    next: say(
      'Exporte o que falta na nuvem, ou vincule a fazenda de novo a este gateway na nuvem.',
      'Export what the cloud lacks, or bind the farm to this gateway again in the cloud.',
      'Exporte lo que falta en la nube, o vincule la camaronera de nuevo a este gateway en la nube.',
    ),
  },
  fenced: {
    severity: 'bad',
    what: say(
      'outra caixa tomou o lugar deste gateway',
      'another box took the place of this gateway',
      'otra caja tomó el lugar de este gateway',
    ),
    next: say(
      'Desligue esta caixa, se a outra é a nova (docs/pt-br/replace-a-box.md).',
      'Switch this box off, if the other is the new one (docs/en/replace-a-box.md).',
      'Apague esta caja, si la otra es la nueva (docs/es/replace-a-box.md).',
    ),
  },
};
/** The hosted instance confirms every few seconds, on a poor line every few minutes. */
const NO_PROGRESS_S = 15 * 60;
const OFFLINE_DAYS = { warn: 14, bad: 3 };

export function checkSync({ sync, run, now }: DoctorFacts): Finding[] {
  if (sync === null) return [];
  const upS = run?.startedAt == null ? null : ageOf(now, run.startedAt) / 1000;
  return [
    checkStanding(sync, upS) ?? checkState(sync),
    ...checkRefusal(sync),
    ...checkParked(sync),
    ...checkDaysLeft(sync),
  ];
}

function checkState({ state, waitingRows, contactAgeS }: SyncFacts): Finding {
  const { severity, what, next } = STATES[state];
  const last = contactAgeS === null ? null : agoOf(contactAgeS * 1000);
  return finding(
    'sync_state',
    severity,
    say(
      `Sincronização: ${what['pt-BR']}; mudanças à espera: ${waitingRows}${last === null ? '' : `; último contato há ${last['pt-BR']}`}.`,
      `Sync: ${what.en}; changes waiting: ${waitingRows}${last === null ? '' : `; last contact ${last.en} ago`}.`,
      `Sincronización: ${what.es}; cambios a la espera: ${waitingRows}${last === null ? '' : `; último contacto hace ${last.es}`}.`,
    ),
    { measured: [waitingRows, 'rows'], next },
  );
}

/** Something waits, and nothing has been confirmed for long; null: it goes on. */
function checkStanding({ state, waitingRows, lagS, ackAgeS }: SyncFacts, upS: number | null): Finding | null {
  const stillForS = Math.min(lagS ?? 0, ackAgeS ?? upS ?? 0);
  if (state !== 'catching_up' || stillForS < NO_PROGRESS_S) return null;
  const still = agoOf(stillForS * 1000);
  return finding(
    'sync_state',
    'warn',
    say(
      `Sincronização: mudanças à espera: ${waitingRows}, e há ${still['pt-BR']} a nuvem não confirma nenhuma.`,
      `Sync: changes waiting: ${waitingRows}, and the hosted instance has confirmed none for ${still.en}.`,
      `Sincronización: cambios a la espera: ${waitingRows}, y desde hace ${still.es} la nube no confirma ninguno.`,
    ),
    {
      measured: [waitingRows, 'rows'],
      next: say(
        'Espere alguns minutos se a internet acaba de voltar; se ficar assim, veja a velocidade de envio da internet e o que diz o console, em Sistema → Sincronia.',
        'Wait some minutes if the internet has just come back; if it stays so, see to the upload of the internet and to what the console says, at System → Sync.',
        'Espere unos minutos si el internet acaba de volver; si queda así, vea la velocidad de envío del internet y lo que dice el panel, en Sistema → Sincronización.',
      ),
    },
  );
}

function checkRefusal({ refusal }: SyncFacts): Finding[] {
  if (refusal === null) return [];
  const { isKeyMissing, detail } = refusal;
  if (isKeyMissing) {
    return [
      finding(
        'sync_refused',
        'warn',
        say(
          'A chave deste gateway para a nuvem não está nesta caixa: um backup foi restaurado em outra.',
          'The key of this gateway to the hosted instance is not on this box: a backup was restored on another one.',
          'La clave de este gateway para la nube no está en esta caja: se restauró un respaldo en otra.',
        ),
        {
          next: say(
            'Vincule-o de novo no console, em Sistema → Sincronia.',
            'Pair it again in the console, at System → Sync.',
            'Vincúlelo de nuevo en el panel, en Sistema → Sincronización.',
          ),
        },
      ),
    ];
  }
  return [
    finding(
      'sync_refused',
      'warn',
      say(
        `A nuvem recusa este gateway: ${detail}`,
        `The hosted instance refuses this gateway: ${detail}`,
        `La nube rechaza este gateway: ${detail}`,
      ),
      {
        next: say(
          'Veja a hora da caixa e o que diz o console, em Sistema → Sincronia; se ficar assim, avise o suporte.',
          'See to the time of the box and to what the console says, at System → Sync; if it stays so, tell support.',
          'Vea la hora de la caja y lo que dice el panel, en Sistema → Sincronización; si queda así, avise al soporte.',
        ),
      },
    ),
  ];
}

function checkParked({ parkedRows }: SyncFacts): Finding[] {
  if (parkedRows === 0) return [];
  return [
    finding(
      'sync_parked',
      'warn',
      say(
        `Mudanças vindas da nuvem que não couberam aqui e foram guardadas à parte: ${parkedRows}.`,
        `Changes of the hosted instance that did not fit here and were kept aside: ${parkedRows}.`,
        `Cambios venidos de la nube que no cupieron aquí y se guardaron aparte: ${parkedRows}.`,
      ),
      {
        next: say(
          'Tente aplicá-las de novo no console, em Sistema → Sincronia.',
          'Try to apply them again in the console, at System → Sync.',
          'Intente aplicarlos de nuevo en el panel, en Sistema → Sincronización.',
        ),
        measured: [parkedRows, 'rows'],
      },
    ),
  ];
}

function checkDaysLeft({ daysLeft }: SyncFacts): Finding[] {
  if (daysLeft === null) return [];
  const severity = below(daysLeft, OFFLINE_DAYS);
  if (severity === 'ok') return [];
  const days = written(daysLeft, 1);
  return [
    finding(
      'sync_offline_days',
      severity,
      say(
        `Sem internet, o espaço para mudanças não enviadas acaba em ${days['pt-BR']} dias; depois disso a volta à nuvem demora mais.`,
        `Without internet, the room for changes that were not sent is used up in ${days.en} days; after that it takes longer to be in step again.`,
        `Sin internet, el espacio para cambios no enviados se acaba en ${days.es} días; después de eso la vuelta a la nube tarda más.`,
      ),
      {
        next: say(
          'Ligue a internet da fazenda, ou dê mais espaço com --sync-quota-mb.',
          'Connect the internet of the farm, or give more room with --sync-quota-mb.',
          'Conecte el internet de la camaronera, o dé más espacio con --sync-quota-mb.',
        ),
        measured: [daysLeft, 'd'],
      },
    ),
  ];
}
