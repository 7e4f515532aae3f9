import { source } from '../../i18n/catalogue.ts';

/** Refusals in the person's language, by the code of the interface; what is not here is told in its own sentence. */
export const faults = source({
  FORBIDDEN: 'Seu acesso nesta fazenda não permite isto.',
  SUBSCRIPTION_LIMIT_REACHED:
    'O plano do dono da fazenda está no limite. Um plano maior permite mais; o que existe segue funcionando.',
  SUBSCRIPTION_REQUIRED:
    'A assinatura venceu: não dá para criar mais até pagar. O que existe segue funcionando.',
  SUBSCRIPTION_CANCELED:
    'A assinatura foi cancelada: não dá para criar mais. O que existe segue funcionando.',
  PAYMENT_REQUIRED:
    'Falta um pagamento há mais de 14 dias: não dá para criar mais até pagar. O que existe segue funcionando.',
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
  SETUP_CODE_WRONG: 'Este não é o código desta caixa.',
  BY_INVITATION: 'Aqui só entra quem o dono convida: peça a ele que faça a sua conta.',
  WRONG_HOST: 'Esta caixa não atende por esse nome; use o endereço dela.',
  SECOND_FACTOR: 'Falta o código do segundo fator.',
  SECOND_FACTOR_WRONG:
    'Este código não vale agora. Veja o que o aplicativo mostra, e use cada código uma só vez.',
  SECOND_FACTOR_REQUIRED:
    'Você entrou sem o segundo fator: isso basta para tocar a fazenda, não para isto. Entre de novo com um código de recuperação, ou quando o relógio estiver certo.',
  SECOND_FACTOR_SET_UP: 'Aqui pessoas com a sua função precisam de um segundo fator: configure um primeiro.',
  SECOND_FACTOR_SPENT:
    'Houve códigos errados demais nesta conta hoje. Use um código de recuperação ou uma chave de acesso, ou troque a senha.',
  PASSKEY_NOT_GIVEN: 'Nenhuma chave de acesso foi dada. Tente de novo, ou entre de outro jeito.',
  PASSKEY_REFUSED: 'Esta chave de acesso não abre nada aqui, ou demorou demais. Tente de novo.',
  PASSKEY_COPIED: 'Esta chave de acesso parece uma cópia e foi recusada. Entre de outro jeito e remova-a.',
  PASSKEY_KNOWN: 'Este aparelho já tem uma chave de acesso daqui.',
  PASSKEY_INVALID: 'A chave não foi feita agora para esta página. Comece de novo.',
  PASSKEYS_NOT_HERE: 'Neste endereço não há chaves de acesso: é preciso https e um nome.',
  WRONG_PASSWORD: 'A senha não confere.',
  PASSWORD_COMMON: 'Esta senha está entre as que se adivinham primeiro; escolha outra.',
  PASSWORD_NAMES_IT: 'Esta senha é o e-mail, ou o nome da pessoa, da fazenda ou do produto; escolha outra.',
  RESET_CODE_INVALID: 'Este código não vale, ou não vale mais. Peça outro.',
  NO_MAIL: 'Daqui não se manda e-mail; fale com o administrador.',
  EMAIL_CODE_INVALID: 'Este código não vale, ou não vale mais. Peça outro.',
  EMAIL_NOT_CONFIRMED: 'Confirme antes o seu e-mail, em Sistema, Preferências.',
  RECENT_LOGIN_REQUIRED: 'Digite a senha atual para fazer isto.',
  ALREADY_SUBSCRIBED: 'Você já tem este plano.',
  ALERT_RESOLVED: 'Este alarme já acabou.',
});
