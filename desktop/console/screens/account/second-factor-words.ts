import { dictionary } from '../../i18n/language.ts';

export const secondFactorWords = dictionary({
  'pt-BR': {
    title: 'Segundo fator: aplicativo de códigos',
    why: 'Além da senha, entrar pede um código de 6 números do seu celular. Quem descobrir a senha não entra só com ela.',
    whereBox: 'Vale neste gateway; a nuvem tem o seu próprio.',
    whereHosted:
      'Vale na nuvem e na primeira entrada num gateway; cada gateway pode ter também o seu próprio.',
    off: 'Desligado.',
    on: (at: string) => `Ligado desde ${at}.`,
    left: (n: number) =>
      n === 0
        ? 'Não resta nenhum código de recuperação: desligue e ligue de novo para receber outros.'
        : n === 1
          ? 'Resta 1 código de recuperação.'
          : `Restam ${n} códigos de recuperação.`,
    clock:
      'O relógio daqui não é de confiança: por enquanto só contam códigos de recuperação, e ligar não é possível.',
    begin: 'Ligar o segundo fator',
    password: 'Senha atual',
    readable:
      'Esta ligação não é cifrada: quem está no Wi-Fi pode ler o segredo. Prefira o endereço https, ou a própria caixa.',
    scan: '1. No celular, abra um aplicativo de códigos (Google Authenticator, Aegis, Microsoft Authenticator…) e leia este quadro.',
    qr: 'Quadro para o aplicativo de códigos',
    byHand: 'Não lê? Digite este segredo no aplicativo',
    secret: 'Segredo',
    type: '2. Digite o código que o aplicativo mostra.',
    confirm: 'Confirmar e ligar',
    cancel: 'Cancelar',
    papers: 'Códigos de recuperação',
    papersOnce:
      'Aparecem só agora. Cada um vale uma vez no lugar do celular ou da chave: imprima ou anote, e guarde longe dele.',
    copy: 'Copiar como texto',
    print: 'Imprimir',
    isKept: 'Guardei os dez códigos fora deste aparelho',
    done: 'Pronto',
    end: 'Desligar o segundo fator',
    ended: 'Segundo fator desligado.',
    endTitle: 'Desligar o segundo fator?',
    endText: 'Depois disso, a senha basta para entrar, a não ser que haja chaves de acesso.',
  },
  en: {
    title: 'Second factor: authenticator app',
    why: 'Besides the password, signing in asks for a code of 6 digits from your phone. Whoever learns the password does not get in with it alone.',
    whereBox: 'It counts at this gateway; the cloud has one of its own.',
    whereHosted:
      'It counts in the cloud and at the first sign-in at a gateway; each gateway can have one of its own, too.',
    off: 'Off.',
    on: (at: string) => `On since ${at}.`,
    left: (n: number) =>
      n === 0
        ? 'No recovery code is left: turn it off and on again to get new ones.'
        : n === 1
          ? '1 recovery code is left.'
          : `${n} recovery codes are left.`,
    clock:
      'The clock here is not to be trusted: for now only recovery codes count, and it cannot be turned on.',
    begin: 'Turn the second factor on',
    password: 'Present password',
    readable:
      'This connection is not encrypted: whoever is on the Wi-Fi can read the secret. Better use the https address, or the box itself.',
    scan: '1. On your phone, open an authenticator app (Google Authenticator, Aegis, Microsoft Authenticator…) and scan this.',
    qr: 'Picture for the authenticator app',
    byHand: 'It cannot be scanned? Type this secret into the app',
    secret: 'Secret',
    type: '2. Type the code that the app shows.',
    confirm: 'Confirm and turn on',
    cancel: 'Cancel',
    papers: 'Recovery codes',
    papersOnce:
      'They are shown only now. Each stands in for the phone or the key once: print them or write them down, and keep them away from it.',
    copy: 'Copy as text',
    print: 'Print',
    isKept: 'I keep the ten codes outside this device',
    done: 'Done',
    end: 'Turn the second factor off',
    ended: 'The second factor is off.',
    endTitle: 'Turn the second factor off?',
    endText: 'After that the password is enough to sign in, unless there are passkeys.',
  },
});
