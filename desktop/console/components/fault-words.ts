import { signal } from '@preact/signals';
import { dictionary, language } from '../i18n/language.ts';
import type * as Rarer from './rarer-faults.ts';

/** Refusals in the person's language, by the code of the interface; what is not here is told in its own sentence. */
const faults = dictionary({
  'pt-BR': {
    FORBIDDEN: 'Seu acesso nesta fazenda não permite isto.',
    SUBSCRIPTION_LIMIT_REACHED:
      'O plano do dono da fazenda está no limite. Um plano maior permite mais; o que existe segue funcionando.',
    SUBSCRIPTION_REQUIRED:
      'A assinatura venceu: não dá para criar mais até pagar. O que existe segue funcionando.',
    SUBSCRIPTION_CANCELED:
      'A assinatura foi cancelada: não dá para criar mais. O que existe segue funcionando.',
    PAYMENT_REQUIRED:
      'Falta um pagamento há mais de 14 dias: não dá para criar mais até pagar. O que existe segue funcionando.',
    PAYMENT_STATE_CHANGED:
      'Algo mudou na cobrança há pouco, e nada foi feito agora. Confira sua assinatura e tente de novo.',
    PAYMENT_REFUSED: 'A cobrança não aceita este pedido, nem repetido. Nada mudou; fale com o suporte.',
    PAYMENT_PROVIDER_UNAVAILABLE: 'A cobrança não responde agora. Nada mudou; tente de novo em instantes.',
    FEATURE_NOT_AVAILABLE: 'O plano não inclui isto. Backup e dados brutos nunca são bloqueados.',
    BATCH_NOT_ACTIVE: 'Este lote já foi encerrado.',
    NO_ANIMALS_IN_POND: 'O lote não tem camarões neste viveiro nessa hora.',
    WRITE_LIMIT_EXCEEDED: 'Esta conta já guardou hoje tudo o que pode. Aeração e alarmes seguem.',
    RATE_LIMIT_EXCEEDED: 'O plano não permite mais pedidos nesta hora. Aeração e alarmes seguem.',
    TOO_MANY_ATTEMPTS: 'Tentativas demais. Espere alguns minutos e tente de novo.',
    INCORRECT_CREDENTIALS: 'E-mail ou senha não conferem.',
    ALREADY_EXISTS: 'Já existe um cadastro com este valor; escolha outro.',
    NOT_FOUND: 'Não existe mais, ou não é desta fazenda.',
    PRECONDITION_FAILED: 'Outra pessoa mudou isto agora há pouco. Abra de novo e confira.',
    STORAGE_UNAVAILABLE:
      'O gateway não conseguiu gravar agora. O que está ligado segue; tente de novo em instantes.',
    BUSY: 'O gateway está ocupado. Tente de novo em instantes.',
    BOX_RIGHT_REQUIRED: 'Isto é de quem cuida da caixa: peça ao dono dela.',
    LOCKED_OUT: 'Este motor está bloqueado para manutenção.',
    IS_SIREN: 'É uma sirene: só alarmes críticos a ligam.',
    SIMULATED:
      'É do simulador: um controlador de verdade não toma o lugar dele. Crie um ponto de controle novo.',
    INVITATION_EXPIRED: 'Este convite venceu; peça outro.',
    INVITATION_REVOKED: 'Este convite não vale mais; peça outro.',
    OWNER_STAYS: 'Esta pessoa é a dona da fazenda.',
    TOO_MANY_TOKENS: 'Há acessos demais; revogue um que não usa mais.',
    TOO_MANY_CHANNELS: 'Há canais demais; remova um antes.',
    TOO_MANY_INVITATIONS: 'Há convites abertos demais; cancele alguns antes.',
    CHANNEL_OFF: 'Este canal está desligado.',
    CHANNEL_UNCONFIRMED: 'Confirme antes este canal, com o código enviado.',
    HOSTED_ONLY: 'Isto se faz na nuvem à qual este gateway pertence, com o seu login de lá.',
    SETUP_CODE_REQUIRED: 'Digite o código da caixa: está na etiqueta e no registro de início.',
    FARM_REQUIRED: 'SMS vai a quem é de uma fazenda; entre em uma antes.',
    SMS_COUNTRY: 'Esta caixa não manda SMS para esse país.',
    SETUP_CODE_WRONG: 'Este não é o código desta caixa.',
    BY_INVITATION: 'Aqui só entra quem o dono convida: peça a ele que faça a sua conta.',
    WRONG_HOST: 'Esta caixa não atende por esse nome; use o endereço dela.',
    SECOND_FACTOR: 'Falta o código do segundo fator.',
    SECOND_FACTOR_WRONG:
      'Este código não vale agora. Veja o que o aplicativo mostra, e use cada código uma só vez.',
    SECOND_FACTOR_REQUIRED:
      'Você entrou sem o segundo fator: isso basta para tocar a fazenda, não para isto. Entre de novo com um código de recuperação, ou quando o relógio estiver certo.',
    SECOND_FACTOR_ON: 'O segundo fator já está ligado.',
    SECOND_FACTOR_SPENT:
      'Houve códigos errados demais nesta conta hoje. Use um código de recuperação ou uma chave de acesso, ou troque a senha.',
    PASSKEY_NOT_GIVEN: 'Nenhuma chave de acesso foi dada. Tente de novo, ou entre de outro jeito.',
    PASSKEY_REFUSED: 'Esta chave de acesso não abre nada aqui, ou demorou demais. Tente de novo.',
    PASSKEY_COPIED: 'Esta chave de acesso parece uma cópia e foi recusada. Entre de outro jeito e remova-a.',
    PASSKEY_KNOWN: 'Este aparelho já tem uma chave de acesso daqui.',
    PASSKEY_INVALID: 'A chave não foi feita agora para esta página. Comece de novo.',
    PASSKEYS_NOT_HERE: 'Neste endereço não há chaves de acesso: é preciso https e um nome.',
    TOO_MANY_PASSKEYS: 'Há chaves de acesso demais; remova uma que não usa mais.',
    WRONG_PASSWORD: 'A senha não confere.',
    PASSWORD_COMMON: 'Esta senha está entre as que se adivinham primeiro; escolha outra.',
    PASSWORD_NAMES_IT: 'Esta senha é o e-mail, ou o nome da pessoa, da fazenda ou do produto; escolha outra.',
    RESET_CODE_INVALID: 'Este código não vale, ou não vale mais. Peça outro.',
    NO_MAIL: 'Daqui não se manda e-mail; fale com o administrador.',
    EMAIL_CODE_INVALID: 'Este código não vale, ou não vale mais. Peça outro.',
    EMAIL_CONFIRMED: 'Este endereço já está confirmado.',
    EMAIL_NOT_CONFIRMED: 'Confirme antes o seu e-mail, em Sistema, Preferências.',
    RECENT_LOGIN_REQUIRED: 'Digite a senha atual para fazer isto.',
    ALREADY_SUBSCRIBED: 'Você já tem este plano.',
    ALERT_RESOLVED: 'Este alarme já acabou.',
  },
  en: {
    FORBIDDEN: 'Your access to this farm does not allow this.',
    SUBSCRIPTION_LIMIT_REACHED:
      'The plan of the farm’s owner is used up. A larger one allows more; what exists goes on working.',
    SUBSCRIPTION_REQUIRED:
      'The subscription lapsed: nothing more can be created until it is paid. What exists goes on working.',
    SUBSCRIPTION_CANCELED:
      'The subscription was cancelled: nothing more can be created. What exists goes on working.',
    PAYMENT_REQUIRED:
      'A payment has been missing for more than 14 days: nothing more can be created until it is made. What exists goes on working.',
    PAYMENT_STATE_CHANGED:
      'Something changed in billing just now, and nothing was done. Look at your subscription and try again.',
    PAYMENT_REFUSED: 'Billing does not accept this, also when repeated. Nothing changed; contact support.',
    PAYMENT_PROVIDER_UNAVAILABLE: 'Billing does not answer now. Nothing changed; try again in a moment.',
    FEATURE_NOT_AVAILABLE: 'The plan does not include this. Backup and raw data are never locked.',
    BATCH_NOT_ACTIVE: 'This batch has ended already.',
    NO_ANIMALS_IN_POND: 'The batch has no shrimp in this pond at that time.',
    WRITE_LIMIT_EXCEEDED: 'This account has stored all it may today. Aeration and alarms go on.',
    RATE_LIMIT_EXCEEDED: 'The plan allows no more requests this hour. Aeration and alarms go on.',
    TOO_MANY_ATTEMPTS: 'Too many attempts. Wait some minutes and try again.',
    INCORRECT_CREDENTIALS: 'E-mail or password is not right.',
    ALREADY_EXISTS: 'Something with this value exists already; choose another.',
    NOT_FOUND: 'It does not exist any more, or is not of this farm.',
    PRECONDITION_FAILED: 'Somebody else changed this just now. Open it again and look.',
    STORAGE_UNAVAILABLE: 'The gateway could not save now. What runs goes on; try again in a moment.',
    BUSY: 'The gateway is busy. Try again in a moment.',
    BOX_RIGHT_REQUIRED: 'This is for those who look after the box: ask its owner.',
    LOCKED_OUT: 'This motor is locked out for maintenance.',
    IS_SIREN: 'It is a siren: only critical alarms switch it on.',
    SIMULATED: 'Of the simulator: a real controller does not take its place. Make a new control point.',
    INVITATION_EXPIRED: 'This invitation has expired; ask for another one.',
    INVITATION_REVOKED: 'This invitation does not hold any more; ask for another one.',
    OWNER_STAYS: 'This person owns the farm.',
    TOO_MANY_TOKENS: 'There are too many access tokens; revoke one you no longer use.',
    TOO_MANY_CHANNELS: 'There are too many channels; remove one first.',
    TOO_MANY_INVITATIONS: 'There are too many open invitations; revoke some first.',
    CHANNEL_OFF: 'This channel is switched off.',
    CHANNEL_UNCONFIRMED: 'Confirm this channel first, with the code that was sent.',
    HOSTED_ONLY: 'This is done in the cloud that this gateway belongs to, signed in there.',
    SETUP_CODE_REQUIRED: 'Type the set-up code of the box: it stands on its label and in its log.',
    FARM_REQUIRED: 'SMS go to people of a farm; join one first.',
    SMS_COUNTRY: 'This box sends no SMS to that country.',
    SETUP_CODE_WRONG: 'This is not the set-up code of this box.',
    BY_INVITATION: 'Accounts here are made by the owner: ask for yours.',
    WRONG_HOST: 'This box does not answer by that name; use its address.',
    SECOND_FACTOR: 'The code of the second factor is missing.',
    SECOND_FACTOR_WRONG:
      'This code does not count now. Look at what the app shows, and use each code once only.',
    SECOND_FACTOR_REQUIRED:
      'You signed in without the second factor: that is enough to run the farm, not for this. Sign in again with a recovery code, or when the clock is right.',
    SECOND_FACTOR_ON: 'The second factor is on already.',
    SECOND_FACTOR_SPENT:
      'There were too many wrong codes for this account today. Use a recovery code or a passkey, or choose a new password.',
    PASSKEY_NOT_GIVEN: 'No passkey was given. Try again, or sign in another way.',
    PASSKEY_REFUSED: 'This passkey opens nothing here, or it took too long. Try again.',
    PASSKEY_COPIED: 'This passkey looks like a copy and was refused. Sign in another way and remove it.',
    PASSKEY_KNOWN: 'This device has a passkey of this place already.',
    PASSKEY_INVALID: 'The passkey was not made for this page just now. Begin again.',
    PASSKEYS_NOT_HERE: 'There are no passkeys under this address: they need https and a name.',
    TOO_MANY_PASSKEYS: 'There are too many passkeys; remove one you no longer use.',
    WRONG_PASSWORD: 'The password is not right.',
    PASSWORD_COMMON: 'This password is among those that are guessed first; choose another one.',
    PASSWORD_NAMES_IT:
      'This password is the e-mail, or a name of the person, the farm or the product; choose another one.',
    RESET_CODE_INVALID: 'This code is not valid, or not any more. Ask for another one.',
    NO_MAIL: 'No e-mail is sent from here; speak to the administrator.',
    EMAIL_CODE_INVALID: 'This code is not valid, or not any more. Ask for another one.',
    EMAIL_CONFIRMED: 'This address is confirmed already.',
    EMAIL_NOT_CONFIRMED: 'Confirm your e-mail first, under System, Preferences.',
    RECENT_LOGIN_REQUIRED: 'Type the present password to do this.',
    ALREADY_SUBSCRIBED: 'You have this plan already.',
    ALERT_RESOLVED: 'This alarm is over already.',
  },
});

/** The refusals that are seldom seen, once they are fetched. */
const rarer = signal<typeof Rarer | null>(null);

export async function fetchRarerFaults(): Promise<void> {
  if (rarer.peek() !== null) return;
  rarer.value = await import('./rarer-faults.ts').catch(() => null);
}

/** The sentence in the person's language for a refusal; null: the interface's own is told. */
export function faultOf(code: string): string | null {
  const known: Readonly<Record<string, string>> = faults();
  const found = known[code] ?? rarer.value?.rarerFault(language.value, code) ?? null;
  if (found === null) void fetchRarerFaults();
  return found;
}

/** The same for one field that was not accepted, by the code of its check. */
export const fieldFaultOf = (path: string, check: string): string | null =>
  rarer.value?.fieldFault(language.value, path, check) ?? null;
