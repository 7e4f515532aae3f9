import { AppError, conflict } from '#core/errors.ts';
import type { OfferOutcome } from './boot-desk.ts';

type Language = 'pt-BR' | 'en';

/** What to do at the device after its credentials were made. */
export function nextStep(language: Language, delivery: 'claim' | 'shown'): string {
  const words = {
    claim: {
      'pt-BR': 'A placa guardou a chave e conecta sozinha em até um minuto; confira se aparece conectada.',
      en: 'The board stored its key and connects by itself within a minute; look whether it is shown as connected.',
    },
    shown: {
      'pt-BR': 'Grave a chave no dispositivo agora, pelo cabo ou na página dele: ela não é mostrada de novo.',
      en: 'Write the key to the device now, over the cable or on its own page: it is not shown again.',
    },
  } as const;
  return words[delivery][language];
}

export const boardNotWaiting = (isWindowOpen: boolean): AppError =>
  isWindowOpen
    ? conflict(
        'This board is not connected now. Power it within reach of the farm’s Wi-Fi and wait until it is shown as waiting',
        'BOARD_NOT_WAITING',
      )
    : conflict('The provisioning window is closed. Open it, then power the board', 'WINDOW_CLOSED');

/** Why a board did not take its credentials, and what to do next. Nothing was changed. */
export function offerFailed(outcome: Exclude<OfferOutcome, 'stored'>): AppError {
  switch (outcome) {
    case 'claim':
      return new AppError(
        422,
        'claim: the code does not fit this board; read it off the label of this very board',
        {
          code: 'WRONG_CLAIM',
          errors: [{ path: 'claim', code: 'WRONG_CLAIM', message: 'does not fit this board' }],
        },
      );
    case 'refused':
      return conflict(
        'The board could not store its key. Power it off and on and try again; if it fails again, flash it over the cable',
        'BOARD_REFUSED',
      );
    case 'silent':
      return conflict(
        'The board did not answer within 8 seconds. Bring it nearer to the Wi-Fi, power it off and on, and try again',
        'BOARD_SILENT',
      );
    case 'gone':
      return conflict(
        'The board left meanwhile. Wait until it is shown as waiting again',
        'BOARD_NOT_WAITING',
      );
    case 'busy':
      return conflict('This board is being given its credentials just now; wait a few seconds', 'BOARD_BUSY');
  }
}
