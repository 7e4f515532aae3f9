import type { ModemState } from '#contract/resources/modem.ts';
import { type InEach, inEach } from '#core/each-language.ts';

const say = inEach;

/** What a state of the modem means, and the next thing to do with one's hands; null: nothing. */
export const MODEM_WORDS: Readonly<Record<ModemState, { message: InEach; next: InEach | null }>> = {
  off: {
    message: say(
      'Este gateway não tem modem GSM.',
      'This gateway has no GSM modem.',
      'Este gateway no tiene módem GSM.',
    ),
    next: say(
      'Ligue um modem USB e inicie com --modem /dev/ttyUSB2 (a porta de comandos AT).',
      'Plug in a USB modem and start with --modem /dev/ttyUSB2 (its port for AT commands).',
      'Conecte un módem USB y arranque con --modem /dev/ttyUSB2 (el puerto de comandos AT).',
    ),
  },
  starting: {
    message: say('O modem está iniciando.', 'The modem is starting.', 'El módem está iniciando.'),
    next: null,
  },
  ready: { message: say('O modem envia SMS.', 'The modem sends SMS.', 'El módem envía SMS.'), next: null },
  no_port: {
    message: say(
      'O modem não está ligado à caixa.',
      'The modem is not connected to the box.',
      'El módem no está conectado a la caja.',
    ),
    next: say(
      'Encaixe o modem na porta USB; confira o nome da porta em --modem.',
      'Push the modem into the USB port; check the name of the port in --modem.',
      'Conecte el módem al puerto USB; revise el nombre del puerto en --modem.',
    ),
  },
  port_busy: {
    message: say(
      'Outro programa usa a porta do modem.',
      'Another program uses the port of the modem.',
      'Otro programa usa el puerto del módem.',
    ),
    next: say(
      'Pare esse programa (ModemManager, por exemplo).',
      'Stop that program (ModemManager, for example).',
      'Pare ese programa (ModemManager, por ejemplo).',
    ),
  },
  port_denied: {
    message: say(
      'O gateway não tem direito à porta do modem.',
      'The gateway may not open the port of the modem.',
      'El gateway no tiene derecho al puerto del módem.',
    ),
    next: say(
      'Ponha o usuário do gateway no grupo dialout, ou permita ao serviço dele este tipo de porta (DeviceAllow), e reinicie.',
      'Put the user of the gateway into the group dialout, or allow its service this kind of port (DeviceAllow), and restart.',
      'Ponga el usuario del gateway en el grupo dialout, o permita a su servicio este tipo de puerto (DeviceAllow), y reinicie.',
    ),
  },
  silent: {
    message: say('O modem não responde.', 'The modem does not answer.', 'El módem no responde.'),
    next: say(
      'Tire o modem, espere 10 segundos e encaixe de novo; se a porta for outra, corrija --modem.',
      'Pull the modem, wait 10 seconds and push it in again; if it has several ports, try the other in --modem.',
      'Saque el módem, espere 10 segundos y conéctelo de nuevo; si el puerto es otro, corrija --modem.',
    ),
  },
  no_sim: {
    message: say(
      'Não há chip (SIM) no modem.',
      'There is no SIM in the modem.',
      'No hay chip (SIM) en el módem.',
    ),
    next: say(
      'Desligue o modem e encaixe o chip até travar.',
      'Unplug the modem and push the SIM in until it clicks.',
      'Desconecte el módem y empuje el chip hasta que trabe.',
    ),
  },
  needs_pin: {
    message: say('O chip (SIM) pede o PIN.', 'The SIM wants its PIN.', 'El chip (SIM) pide el PIN.'),
    next: say(
      'Inicie com MODEM_PIN, ou tire o PIN do chip num telefone.',
      'Start with MODEM_PIN, or take the PIN off the SIM in a phone.',
      'Arranque con MODEM_PIN, o quite el PIN del chip en un teléfono.',
    ),
  },
  pin_wrong: {
    message: say(
      'O chip (SIM) recusou o PIN; ele não é tentado de novo, para não bloquear o chip.',
      'The SIM refused the PIN; it is not tried again, so that the SIM is not locked.',
      'El chip (SIM) rechazó el PIN; no se intenta de nuevo, para no bloquear el chip.',
    ),
    next: say(
      'Corrija MODEM_PIN; se resta uma só tentativa, digite o PIN certo num telefone.',
      'Correct MODEM_PIN; with one try left, enter the right PIN in a phone.',
      'Corrija MODEM_PIN; si queda un solo intento, escriba el PIN correcto en un teléfono.',
    ),
  },
  puk: {
    message: say('O chip (SIM) está bloqueado.', 'The SIM is locked.', 'El chip (SIM) está bloqueado.'),
    next: say(
      'Desbloqueie com o PUK num telefone.',
      'Unlock it with the PUK in a phone.',
      'Desbloquéelo con el PUK en un teléfono.',
    ),
  },
  no_network: {
    message: say(
      'O modem não acha a rede do celular.',
      'The modem finds no mobile network.',
      'El módem no encuentra la red celular.',
    ),
    next: say(
      'Veja a antena, ponha a caixa mais alto ou use antena externa; confira se o chip está ativo.',
      'See to the antenna, put the box higher or use an outside antenna; check that the SIM is active.',
      'Vea la antena, ponga la caja más alto o use una antena externa; revise si el chip está activo.',
    ),
  },
};
