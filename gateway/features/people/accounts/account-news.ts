import type { Language, Letter, News } from '#core/notifying.ts';

// What a person is told of changes to what opens the account. Whoever reads it may not be who made the change.

/** @param by an administrator gave it: at the command line, for who forgot theirs; letter: it was replaced with the code of one */
export function passwordChangedNews(
  userId: string,
  version: number,
  by: 'person' | 'administrator' | 'letter',
): News {
  const said: Record<typeof by, Record<Language, string>> = {
    person: {
      'pt-BR':
        'A senha da sua conta foi trocada e todas as sessões foram encerradas. Se não foi você, peça ao administrador uma senha nova, depois confira as sessões, os acessos para programas e os canais de aviso em Sistema, Preferências.',
      en: 'The password of your account was changed, and all sessions have ended. If it was not you, ask the administrator for a new password, then look at sessions, access tokens and notification channels under System, Preferences.',
      es: 'La contraseña de su cuenta se cambió y todas las sesiones terminaron. Si no fue usted, pida al administrador una contraseña nueva, después revise las sesiones, los accesos para programas y los canales de aviso en Sistema, Preferencias.',
    },
    administrator: {
      'pt-BR':
        'Um administrador deu uma senha nova à sua conta e todas as sessões foram encerradas. Se você não pediu, fale com ele; depois escolha uma senha sua e confira os acessos para programas e os canais de aviso em Sistema, Preferências.',
      en: 'An administrator gave your account a new password, and all sessions have ended. If you did not ask for it, talk to them; then choose a password of your own and look at access tokens and notification channels under System, Preferences.',
      es: 'Un administrador dio una contraseña nueva a su cuenta y todas las sesiones terminaron. Si usted no la pidió, hable con él; después elija una contraseña propia y revise los accesos para programas y los canales de aviso en Sistema, Preferencias.',
    },
    letter: {
      'pt-BR':
        'Sua senha foi trocada com o código de um e-mail, e todas as sessões foram encerradas. Se não foi você, peça já uma nova senha e confira os canais de aviso: alarmes continuam chegando a eles.',
      en: 'Your password was replaced with the code of an e-mail, and all sessions have ended. If it was not you, ask for a new password at once, and look at the notification channels: alarms still go to them.',
      es: 'Su contraseña se cambió con el código de un correo, y todas las sesiones terminaron. Si no fue usted, pida ya una contraseña nueva y revise los canales de aviso: las alarmas siguen llegando a ellos.',
    },
  };
  return {
    type: 'SYSTEM',
    title: (language) =>
      ({ 'pt-BR': 'Senha trocada', en: 'Password changed', es: 'Contraseña cambiada' })[language],
    message: (language) => said[by][language],
    data: { account: 'password_changed' },
    cause: `account_password:${userId}:${version}`,
    farmId: null,
  };
}

/** To whose password was replaced with the code of a letter. */
export function passwordReplacedLetter(language: Language, { to }: { to: string }): Letter {
  return {
    'pt-BR': {
      to,
      subject: 'Sua senha foi trocada',
      text: 'A senha da sua conta foi trocada com o código de um e-mail a este endereço, e todas as sessões terminaram. Se não foi você, peça já uma nova senha e avise quem cuida da fazenda.\n',
    },
    en: {
      to,
      subject: 'Your password was changed',
      text: 'The password of your account was replaced with the code of an e-mail to this address, and all sessions have ended. If it was not you, ask for a new password at once and tell whoever looks after the farm.\n',
    },
    es: {
      to,
      subject: 'Su contraseña se cambió',
      text: 'La contraseña de su cuenta se cambió con el código de un correo a esta dirección, y todas las sesiones terminaron. Si no fue usted, pida ya una contraseña nueva y avise a quien cuida la camaronera.\n',
    },
  }[language];
}

export function emailChangedNews(userId: string, email: string, at: string): News {
  return {
    type: 'SYSTEM',
    title: (language) =>
      ({ 'pt-BR': 'E-mail trocado', en: 'E-mail changed', es: 'Correo cambiado' })[language],
    message: (language) =>
      ({
        'pt-BR': `De agora em diante você entra com ${email}. Se não foi você, troque já o e-mail e a senha em Sistema, Preferências, e encerre as outras sessões.`,
        en: `You log in with ${email} from now on. If it was not you, change e-mail and password at once under System, Preferences, and end the other sessions.`,
        es: `De ahora en adelante usted entra con ${email}. Si no fue usted, cambie ya el correo y la contraseña en Sistema, Preferencias, y cierre las otras sesiones.`,
      })[language],
    data: { account: 'email_changed' },
    cause: `account_email:${userId}:${at}`,
    farmId: null,
  };
}

/** The new address is not in it: the old one may be somebody else's by now. */
export function addressLeftLetter(language: Language, to: string, at: string): Letter {
  const [day = '', time = ''] = at.slice(0, 16).split('T');
  if (language === 'en') {
    return {
      to,
      subject: 'The e-mail of your account was changed',
      text: `On ${day} at ${time} (UTC) your account of the shrimp farm got another e-mail address. This one opens it no longer.\n\nIf it was you, do nothing.\n\nIf it was not you, call the administrator, or the owner of the farm, at once: they end all sessions of your account and give it a new password. Do not answer this message.\n`,
    };
  }
  if (language === 'es') {
    return {
      to,
      subject: 'El correo de su cuenta se cambió',
      text: `El ${day.split('-').reverse().join('/')}, a las ${time} (UTC), su cuenta de la camaronera pasó a tener otro correo. Esta dirección ya no entra en ella.\n\nSi fue usted, no haga nada.\n\nSi no fue usted, llame ya al administrador, o al dueño de la camaronera: ellos cierran todas las sesiones de su cuenta y le dan una contraseña nueva. No responda a este mensaje.\n`,
    };
  }
  return {
    to,
    subject: 'O e-mail da sua conta foi trocado',
    text: `Em ${day.split('-').reverse().join('/')}, às ${time} (UTC), sua conta da fazenda de camarão passou a ter outro e-mail. Este endereço não entra mais nela.\n\nSe foi você, não faça nada.\n\nSe não foi você, chame já o administrador, ou o dono da fazenda: eles encerram todas as sessões da sua conta e lhe dão uma senha nova. Não responda a esta mensagem.\n`,
  };
}

// Letters with codes for password and address of an account, in the language of who gets them. No name stands in a letter that anybody may ask for.

/** The letter with the code of a forgotten password. */
export function resetLetterOf(
  language: Language,
  { to, code, link }: { to: string; code: string; link: string | null },
): Letter {
  if (language === 'en') {
    const where =
      link === null
        ? `Open the console, choose “Forgot your password?” and then “I have a code”.\n\nYour code: ${code}`
        : `Open this page and choose a new password:\n\n${link}\n\nOr enter the code under “Forgot your password?”: ${code}`;
    return {
      to,
      subject: 'New password',
      text: `Somebody asked for a new password for the account with this address.\n\n${where}\n\nIt works once, for 30 minutes, and only the newest one. If it was not you, do nothing: your password stays.\n`,
    };
  }
  if (language === 'es') {
    const where =
      link === null
        ? `Abra el panel, elija “¿Olvidó la contraseña?” y después “Ya tengo un código”.\n\nSu código: ${code}`
        : `Abra esta página y elija una contraseña nueva:\n\n${link}\n\nO escriba el código en “¿Olvidó la contraseña?”: ${code}`;
    return {
      to,
      subject: 'Contraseña nueva',
      text: `Alguien pidió una contraseña nueva para la cuenta con esta dirección.\n\n${where}\n\nVale una vez, por 30 minutos, y solo el más nuevo. Si no fue usted, no haga nada: su contraseña sigue siendo la misma.\n`,
    };
  }
  const where =
    link === null
      ? `Abra o painel, escolha “Esqueceu a senha?” e depois “Já tenho um código”.\n\nSeu código: ${code}`
      : `Abra esta página e escolha uma nova senha:\n\n${link}\n\nOu digite o código em “Esqueceu a senha?”: ${code}`;
  return {
    to,
    subject: 'Nova senha',
    text: `Alguém pediu uma nova senha para a conta com este endereço.\n\n${where}\n\nVale uma vez, por 30 minutos, e só o mais novo. Se não foi você, não faça nada: sua senha continua a mesma.\n`,
  };
}

/** At a gateway: the account is the hosted instance's, and so is its password. */
export function elsewhereLetterOf(
  language: Language,
  { to, url }: { to: string; url: string | null },
): Letter {
  if (language === 'en') {
    const where = url === null ? 'there' : `at ${url}`;
    return {
      to,
      subject: 'New password',
      text: `Somebody asked for a new password at the gateway of your farm. Your account is one of the cloud: choose a new password ${where}, under “Forgot your password?”. Then sign in at the gateway with it, once with the internet. If it was not you, do nothing.\n`,
    };
  }
  if (language === 'es') {
    const where = url === null ? 'allá' : `en ${url}`;
    return {
      to,
      subject: 'Contraseña nueva',
      text: `Alguien pidió una contraseña nueva en el gateway de su camaronera. Su cuenta es de la nube: elija una contraseña nueva ${where}, en “¿Olvidó la contraseña?”. Después entre con ella en el gateway, una vez con internet. Si no fue usted, no haga nada.\n`,
    };
  }
  const where = url === null ? 'lá' : `em ${url}`;
  return {
    to,
    subject: 'Nova senha',
    text: `Alguém pediu uma nova senha no gateway da sua fazenda. Sua conta é da nuvem: escolha uma nova senha ${where}, em “Esqueceu a senha?”. Depois entre com ela no gateway, uma vez com internet. Se não foi você, não faça nada.\n`,
  };
}

/** The letter with the code that proves an address. */
export function addressLetterOf(language: Language, { to, code }: { to: string; code: string }): Letter {
  return {
    'pt-BR': {
      to,
      subject: 'Confirme seu endereço de e-mail',
      text: `Uma conta com este endereço quer confirmá-lo.\n\nSeu código: ${code}\n\nEntre e digite-o em Preferências. Ele vale por um dia, e só o mais novo. Se você não criou uma conta, não faça nada.\n`,
    },
    en: {
      to,
      subject: 'Confirm your e-mail address',
      text: `An account with this address wants to confirm it.\n\nYour code: ${code}\n\nSign in and enter it under Preferences. It works for a day, and only the newest one. If you made no account, do nothing.\n`,
    },
    es: {
      to,
      subject: 'Confirme su dirección de correo',
      text: `Una cuenta con esta dirección quiere confirmarla.\n\nSu código: ${code}\n\nEntre y escríbalo en Preferencias. Vale por un día, y solo el más nuevo. Si usted no creó una cuenta, no haga nada.\n`,
    },
  }[language];
}
