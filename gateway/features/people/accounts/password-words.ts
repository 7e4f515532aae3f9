import type { Language, Letter } from '#core/notifying.ts';

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
  const where = url === null ? 'lá' : `em ${url}`;
  return {
    to,
    subject: 'Nova senha',
    text: `Alguém pediu uma nova senha no gateway da sua fazenda. Sua conta é da nuvem: escolha uma nova senha ${where}, em “Esqueceu a senha?”. Depois entre com ela no gateway, uma vez com internet. Se não foi você, não faça nada.\n`,
  };
}

/** The letter with the code that proves an address. */
export function addressLetterOf(language: Language, { to, code }: { to: string; code: string }): Letter {
  return language === 'en'
    ? {
        to,
        subject: 'Confirm your e-mail address',
        text: `An account with this address wants to confirm it.\n\nYour code: ${code}\n\nSign in and enter it under Preferences. It works for a day, and only the newest one. If you made no account, do nothing.\n`,
      }
    : {
        to,
        subject: 'Confirme seu endereço de e-mail',
        text: `Uma conta com este endereço quer confirmá-lo.\n\nSeu código: ${code}\n\nEntre e digite-o em Preferências. Ele vale por um dia, e só o mais novo. Se você não criou uma conta, não faça nada.\n`,
      };
}
