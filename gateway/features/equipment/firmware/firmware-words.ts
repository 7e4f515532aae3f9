import type { RolloutWait, TargetReason, TargetState } from '#contract/resources/firmware.ts';
import type { Language, Words } from '#core/notifying.ts';
import type { Rollout, Target } from './ports.ts';
import { failuresAmong } from './rollout-rules.ts';

// What people read of rollouts, in each language.

type InEach = Readonly<Record<Language, string>>;

const WAITS: Readonly<Record<RolloutWait, InEach>> = {
  OUTSIDE_WINDOW: {
    'pt-BR': 'Espera a janela de horário.',
    en: 'Waits for its time of day.',
    es: 'Espera la ventana de horario.',
  },
  CLOCK_UNTRUSTED: {
    'pt-BR':
      'O relógio do gateway não é confiável, então a janela não pode abrir. Confirme a hora do gateway.',
    en: 'The clock of the gateway is not trusted, so the window cannot open. Confirm the time of the gateway.',
    es: 'El reloj del gateway no es confiable, así que la ventana no puede abrirse. Confirme la hora del gateway.',
  },
  OXYGEN_ALARM: {
    'pt-BR': 'Há alarme de oxigênio ou de energia ativo: nenhum controlador é reiniciado até ele terminar.',
    en: 'An oxygen or power alarm is active: no controller is restarted until it is over.',
    es: 'Hay una alarma de oxígeno o de energía activa: ningún controlador se reinicia hasta que termine.',
  },
  SOAKING: {
    'pt-BR': 'Observa os controladores já atualizados antes da próxima leva.',
    en: 'Watches the controllers that were updated before the next wave begins.',
    es: 'Observa los controladores ya actualizados antes de la próxima tanda.',
  },
  NOBODY_CONNECTED: {
    'pt-BR': 'Nenhum dos controladores que faltam está conectado por MQTT. Verifique energia e Wi-Fi deles.',
    en: 'None of the controllers left is connected over MQTT. Check their power and Wi-Fi.',
    es: 'Ninguno de los controladores que faltan está conectado por MQTT. Revise su energía y su Wi-Fi.',
  },
  POND_BUSY: {
    'pt-BR': 'Outro aerador do mesmo viveiro está reiniciando; dois ao mesmo tempo nunca.',
    en: 'Another aerator of the same pond is restarting; never two at once.',
    es: 'Otro aireador de la misma piscina se está reiniciando; dos al mismo tiempo nunca.',
  },
  WAVE_RUNNING: {
    'pt-BR': 'Espera os controladores desta leva.',
    en: 'Waits for the controllers of this wave.',
    es: 'Espera los controladores de esta tanda.',
  },
};

const STATES: Readonly<Record<TargetState, InEach>> = {
  waiting: { 'pt-BR': 'Espera a sua vez.', en: 'Waits for its turn.', es: 'Espera su turno.' },
  offered: {
    'pt-BR': 'Foi chamado; ainda não começou a baixar.',
    en: 'Was asked; has not begun to download.',
    es: 'Fue llamado; todavía no comenzó a descargar.',
  },
  downloading: {
    'pt-BR': 'Baixa o firmware; a aeração segue.',
    en: 'Downloads the firmware; aeration goes on.',
    es: 'Descarga el firmware; la aireación sigue.',
  },
  ready: {
    'pt-BR': 'Baixou e conferiu; espera a permissão para reiniciar.',
    en: 'Has downloaded and checked it; waits to be allowed to restart.',
    es: 'Descargó y revisó; espera el permiso para reiniciarse.',
  },
  approved: { 'pt-BR': 'Pode reiniciar agora.', en: 'May restart now.', es: 'Puede reiniciarse ahora.' },
  installing: {
    'pt-BR': 'Instala e reinicia.',
    en: 'Installs it and restarts.',
    es: 'Instala y se reinicia.',
  },
  confirming: {
    'pt-BR': 'Roda a nova versão à prova: um minuto conectado, senão volta à anterior.',
    en: 'Runs the new version on trial: a minute connected, else it goes back.',
    es: 'Corre la nueva versión a prueba: un minuto conectado, si no vuelve a la anterior.',
  },
  done: { 'pt-BR': 'Roda a nova versão.', en: 'Runs the new version.', es: 'Corre la nueva versión.' },
  failed: { 'pt-BR': 'Não foi atualizado.', en: 'Was not updated.', es: 'No fue actualizado.' },
  rolled_back: {
    'pt-BR': 'Voltou sozinho à versão anterior.',
    en: 'Went back to the version before by itself.',
    es: 'Volvió solo a la versión anterior.',
  },
  skipped: { 'pt-BR': 'Ficou de fora.', en: 'Left out.', es: 'Quedó fuera.' },
  cancelled: { 'pt-BR': 'Não foi chamado.', en: 'Was not asked.', es: 'No fue llamado.' },
};

const REASONS: Readonly<Record<TargetReason, InEach>> = {
  DOWNLOAD_FAILED: {
    'pt-BR': 'O download falhou. Verifique o sinal de Wi-Fi do controlador.',
    en: 'The download failed. Check the Wi-Fi signal of the controller.',
    es: 'La descarga falló. Revise la señal de Wi-Fi del controlador.',
  },
  SIZE_WRONG: {
    'pt-BR': 'O tamanho recebido não confere.',
    en: 'The size it received is wrong.',
    es: 'El tamaño recibido no coincide.',
  },
  HASH_WRONG: {
    'pt-BR': 'O conteúdo recebido não confere. Envie o arquivo de firmware de novo ao gateway.',
    en: 'The content it received is wrong. Send the firmware file to the gateway again.',
    es: 'El contenido recibido no coincide. Envíe el archivo de firmware de nuevo al gateway.',
  },
  SIGNATURE_WRONG: {
    'pt-BR': 'O controlador não conhece quem assinou. Grave-o pelo cabo com um firmware deste fabricante.',
    en: 'The controller does not know the signer. Flash it over the cable with firmware of this publisher.',
    es: 'El controlador no conoce a quien firmó. Grábelo por el cable con un firmware de este fabricante.',
  },
  CHIP_WRONG: {
    'pt-BR': 'O firmware é de outro chip. Escolha o firmware do chip deste controlador.',
    en: 'The firmware is for another chip. Choose that of this controller’s chip.',
    es: 'El firmware es de otro chip. Elija el firmware del chip de este controlador.',
  },
  OLDER: {
    'pt-BR': 'A versão é mais antiga que a em uso.',
    en: 'The version is older than the one that runs.',
    es: 'La versión es más antigua que la que está en uso.',
  },
  NO_SPACE: {
    'pt-BR': 'Não há espaço na placa. Grave-a pelo cabo.',
    en: 'There is no room on the board. Flash it over the cable.',
    es: 'No hay espacio en la placa. Grábela por el cable.',
  },
  FLASH_FAULT: {
    'pt-BR': 'A memória da placa falhou. Troque a placa.',
    en: 'The memory of the board failed. Replace the board.',
    es: 'La memoria de la placa falló. Cambie la placa.',
  },
  CRASHED: {
    'pt-BR': 'A nova versão travou ao iniciar. Avise o fabricante do firmware.',
    en: 'The new version crashed at its start. Tell the publisher of the firmware.',
    es: 'La nueva versión se trabó al iniciar. Avise al fabricante del firmware.',
  },
  NOT_CONNECTED: {
    'pt-BR': 'Com a nova versão não voltou a falar com o gateway. Avise o fabricante do firmware.',
    en: 'With the new version it did not reach the gateway again. Tell the publisher of the firmware.',
    es: 'Con la nueva versión no volvió a hablar con el gateway. Avise al fabricante del firmware.',
  },
  OTHER: {
    'pt-BR': 'Veja as palavras do controlador.',
    en: 'See the controller’s own words.',
    es: 'Vea las palabras del controlador.',
  },
  ALREADY_RUNS_IT: {
    'pt-BR': 'Já roda esta versão.',
    en: 'It runs this version already.',
    es: 'Ya corre esta versión.',
  },
  RUNS_NEWER: {
    'pt-BR': 'Roda uma versão mais nova.',
    en: 'It runs a newer version.',
    es: 'Corre una versión más nueva.',
  },
  LOST: {
    'pt-BR':
      'Não deu mais notícia depois de reiniciar. Vá até o aerador: verifique energia e a luz da placa; se preciso, grave pelo cabo.',
    en: 'It was not heard of after its restart. Go to the aerator: check power and the light of the board; flash it over the cable if need be.',
    es: 'No dio más noticias después de reiniciarse. Vaya al aireador: revise la energía y la luz de la placa; si hace falta, grábela por el cable.',
  },
  WRONG_VERSION: {
    'pt-BR': 'Terminou com outra versão que a pedida. Avise o fabricante do firmware.',
    en: 'It ended with another version than was asked for. Tell the publisher of the firmware.',
    es: 'Terminó con otra versión que la pedida. Avise al fabricante del firmware.',
  },
  ROLLOUT_STOPPED: {
    'pt-BR': 'A atualização parou porque outros controladores falharam.',
    en: 'The rollout stopped because other controllers failed.',
    es: 'La actualización se detuvo porque otros controladores fallaron.',
  },
  ROLLOUT_CANCELLED: {
    'pt-BR': 'A atualização foi cancelada.',
    en: 'The rollout was cancelled.',
    es: 'La actualización fue cancelada.',
  },
  REMOVED: {
    'pt-BR': 'O ponto de controle não existe mais.',
    en: 'The control point is gone.',
    es: 'El punto de control ya no existe.',
  },
};

export function waitWords(code: RolloutWait, alarms: readonly string[], language: Language): string {
  const said = WAITS[code][language];
  return code === 'OXYGEN_ALARM' && alarms.length > 0 ? `${said} (${alarms.slice(0, 5).join(', ')})` : said;
}

/** A leave to restart that was taken back. */
const CALLED_BACK: InEach = {
  'pt-BR': 'Foi chamado de volta; se já reinicia, vai até o fim.',
  en: 'Was called back; if it restarts already, it goes on to its end.',
  es: 'Fue llamado de vuelta; si ya se reinicia, sigue hasta el final.',
};

export function targetWords({ state, reason }: Pick<Target, 'state' | 'reason'>, language: Language): string {
  const isCalledBack = state === 'approved' && reason !== null;
  const said = (isCalledBack ? CALLED_BACK : STATES[state])[language];
  return reason === null ? said : `${said} ${REASONS[reason][language]}`;
}

/** Why a rollout stopped by itself. */
export function stopWords(targets: readonly Target[], language: Language): string {
  const failed = targets.filter(({ state }) => state === 'failed' || state === 'rolled_back');
  const named = failed
    .slice(0, 5)
    .map((target) => `${target.cod}: ${targetWords(target, language)}`)
    .join(' ');
  const isOne = failed.length === 1;
  return {
    'pt-BR': `${isOne ? '1 controlador não aceitou' : `${failed.length} controladores não aceitaram`}; os outros ficam com a versão deles. ${named}`,
    en: `${isOne ? '1 controller' : `${failed.length} controllers`} did not take it; the others keep their version. ${named}`,
    es: `${isOne ? '1 controlador no aceptó' : `${failed.length} controladores no aceptaron`}; los otros se quedan con su versión. ${named}`,
  }[language];
}

/** What the people of the farm are told at the end. */
export function endNews(
  rollout: Rollout,
  targets: readonly Target[],
  end: 'done' | 'stopped',
): { title: Words; message: Words } {
  const done = targets.filter(({ state }) => state === 'done').length;
  const failures = failuresAmong(targets);
  if (end === 'stopped') {
    return {
      title: (language) =>
        ({
          'pt-BR': `Firmware ${rollout.version}: a atualização parou`,
          en: `Firmware ${rollout.version}: the rollout stopped`,
          es: `Firmware ${rollout.version}: la actualización se detuvo`,
        })[language],
      message: (language) => stopWords(targets, language),
    };
  }
  return {
    title: (language) =>
      ({
        'pt-BR': `Firmware ${rollout.version}: atualização concluída`,
        en: `Firmware ${rollout.version}: the rollout is over`,
        es: `Firmware ${rollout.version}: actualización completada`,
      })[language],
    message: (language) =>
      ({
        'pt-BR': `Controladores atualizados: ${done}. Não aceitaram: ${failures}. Ficaram de fora: ${targets.length - done - failures}.`,
        en: `Controllers that run it: ${done}. Did not take it: ${failures}. Left out: ${targets.length - done - failures}.`,
        es: `Controladores actualizados: ${done}. No aceptaron: ${failures}. Quedaron fuera: ${targets.length - done - failures}.`,
      })[language],
  };
}
