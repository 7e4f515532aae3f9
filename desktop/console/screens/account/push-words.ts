import { dictionary } from '../../i18n/language.ts';

export const pushWords = dictionary({
  'pt-BR': {
    title: 'Receber neste aparelho',
    text: 'Os avisos aparecem na tela deste celular ou PC mesmo com o painel fechado. O gateway e o aparelho precisam de internet.',
    silent:
      'Celular no silencioso fica em silêncio, também com alarme crítico. Quem dorme longe da fazenda deixe o som ligado e o painel liberado no modo “não perturbe”; na fazenda, conte com a sirene.',
    standing: {
      looking: 'conferindo…',
      program: 'este PC já avisa pelo programa',
      insecure: 'não é possível neste endereço',
      unsupported: 'este navegador não recebe avisos',
      denied: 'bloqueado neste navegador',
      off: 'desligado neste aparelho',
      others: 'este aparelho recebe os avisos de outra pessoa',
      paused: 'canal deste aparelho desligado',
      on: 'ligado neste aparelho',
    },
    why: {
      program: 'O programa do painel mostra os alarmes na área de notificação, mesmo com a janela fechada.',
      insecure:
        'Navegadores só mostram avisos de páginas abertas por https, e este endereço é http. O resto do painel funciona igual aqui.',
      unsupported:
        'No iPhone e no iPad: toque em Compartilhar, “Adicionar à Tela de Início”, e abra o painel por esse ícone. Nos outros, use Chrome, Edge, Firefox ou Safari atualizados.',
      denied:
        'As notificações deste endereço foram recusadas. Toque no cadeado ao lado do endereço, em Permissões, permita Notificações e volte aqui.',
    },
    versions: (own: string, gateway: string | null) =>
      gateway === null ? `Programa ${own}` : `Programa ${own}, gateway ${gateway}`,
    skew: {
      outdated: 'O programa deste PC é mais velho que o gateway. Instale o programa novo.',
      newer: 'O gateway é mais velho que o programa deste PC. Atualize o gateway.',
    },
    copy: 'Abra a cópia na internet por https, se a fazenda tem uma, e ligue lá.',
    box: 'Ou aqui na fazenda: instale o certificado do gateway neste aparelho e abra o painel por https.',
    certificate: 'Baixar o certificado',
    byHttps: 'Abrir por https',
    othersText:
      'Quem ligou os avisos aqui entrou com outra conta. Os alarmes dela aparecem nesta tela, os seus não. Se ela não usa mais este aparelho, mude agora; ela é avisada de que deixou de receber aqui.',
    mineInstead: 'Receber os meus aqui',
    stopOthers: 'Parar os avisos dela aqui',
    on: 'Ligar avisos neste aparelho',
    off: 'Desligar neste aparelho',
    test: 'Enviar teste para cá',
    tested: 'Teste a caminho: deve aparecer na tela em alguns segundos.',
    isOn: 'Ligado. Envie um teste para conferir.',
    wishes:
      'O que chega aqui e a hora de silêncio mudam no canal, na lista abaixo. Sair da conta não desliga.',
    fault: {
      notAllowed: 'O navegador não deixou. Permita as notificações deste endereço e tente de novo.',
      noService:
        'O serviço de avisos do navegador não respondeu. Para ligar, este aparelho precisa de internet.',
    },
  },
  en: {
    title: 'Receive on this device',
    text: 'Notifications appear on the screen of this phone or PC even with the console closed. Gateway and device need internet.',
    silent:
      'A phone on silent stays silent, with a critical alarm, too. Who sleeps away from the farm leaves the sound on and lets the console through “do not disturb”; at the farm, rely on the siren.',
    standing: {
      looking: 'looking…',
      program: 'this PC is told by the program',
      insecure: 'not possible at this address',
      unsupported: 'this browser receives no notifications',
      denied: 'blocked in this browser',
      off: 'off on this device',
      others: 'this device receives somebody else’s notifications',
      paused: 'channel of this device switched off',
      on: 'on on this device',
    },
    why: {
      program: 'The program of the console shows alarms in the tray, even with its window closed.',
      insecure:
        'Browsers show notifications only of pages opened by https, and this address is http. All the rest of the console works here the same.',
      unsupported:
        'On an iPhone or iPad: tap Share, “Add to Home Screen”, and open the console by that icon. Elsewhere use an up-to-date Chrome, Edge, Firefox or Safari.',
      denied:
        'Notifications of this address were refused. Tap the lock beside the address, Permissions, allow Notifications and come back here.',
    },
    versions: (own: string, gateway: string | null) =>
      gateway === null ? `Program ${own}` : `Program ${own}, gateway ${gateway}`,
    skew: {
      outdated: 'The program of this PC is older than the gateway. Install the new program.',
      newer: 'The gateway is older than the program of this PC. Update the gateway.',
    },
    copy: 'Open the copy on the internet by https, if the farm has one, and turn it on there.',
    box: 'Or here at the farm: install the certificate of the gateway on this device and open the console by https.',
    certificate: 'Download the certificate',
    byHttps: 'Open by https',
    othersText:
      'Whoever turned notifications on here was signed in with another account. Their alarms appear on this screen, yours do not. If they no longer use this device, change it now; they are told that they no longer receive here.',
    mineInstead: 'Receive mine here',
    stopOthers: 'Stop theirs here',
    on: 'Turn on for this device',
    off: 'Turn off for this device',
    test: 'Send a test here',
    tested: 'Test on its way: it should appear on the screen within seconds.',
    isOn: 'On. Send a test to be sure.',
    wishes:
      'What comes here and quiet hours are set in its channel, in the list below. Signing out does not turn it off.',
    fault: {
      notAllowed: 'The browser did not allow it. Allow notifications of this address and try again.',
      noService:
        'The browser’s notification service did not answer. To turn it on, this device needs internet.',
    },
  },
});
