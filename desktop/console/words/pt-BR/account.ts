import type { Feature } from '#contract/plans.ts';
import { source } from '../../i18n/catalogue.ts';

export const addressWords = source({
  title: 'Endereço de e-mail',
  confirmed: (email: string) => `${email} está confirmado.`,
  open: (email: string) =>
    `${email} ainda não está confirmado. Convites para uma fazenda só chegam a um endereço confirmado.`,
  byAdmin: 'Daqui não se manda e-mail: peça ao administrador desta instância que confirme o endereço.',
  send: 'Mandar um código',
  sent: 'Código a caminho. Olhe também no spam.',
  code: 'Código do e-mail',
  confirm: 'Confirmar',
  done: 'Endereço confirmado.',
  unverified: 'Endereços a confirmar',
  unverifiedText:
    'Qualquer um pode criar uma conta com qualquer endereço. Confirme só quem você conhece, e por outro caminho: convites da fazenda chegam então a esta conta.',
  none: 'Todos os endereços estão confirmados.',
  since: (day: string) => `desde ${day}`,
  question: (email: string) => `Confirmar ${email}?`,
  questionText: (name: string) =>
    `${name} recebe a partir de então os convites a este endereço. Fica registrado que foi você.`,
});

export const passkeyWords = source({
  title: 'Chaves de acesso',
  text: 'Entre com o dedo, o rosto ou o PIN do aparelho, ou com uma chave USB (passkey), sem digitar a senha. Com uma delas, só a senha não basta mais para entrar.',
  whereBox: 'Vale neste gateway e neste endereço; a nuvem tem as suas.',
  whereHosted: 'Vale na nuvem; cada gateway tem as suas.',
  none: 'Nenhuma ainda.',
  whyNot: {
    plain:
      'Aqui não dá para usar chaves de acesso: este endereço não é https, e sem https o navegador não as mostra.',
    address:
      'Aqui não dá para usar chaves de acesso: este endereço é um número, e elas são feitas para um nome.',
    name: 'Aqui não dá para usar chaves de acesso: por este nome o gateway ou a nuvem não se conhece.',
    unset:
      'Aqui não dá para usar chaves de acesso: esta instância não sabe o seu endereço público (--public-url).',
    browser: 'Este navegador não tem chaves de acesso.',
  },
  openAt: 'Abra:',
  made: (at: string) => `Criada ${at}`,
  used: (at: string) => `usada ${at}`,
  unused: 'nunca usada',
  worksAt: (name: string) => `funciona em ${name}`,
  add: 'Criar chave de acesso',
  addTitle: 'Nova chave de acesso',
  addText: 'Depois o navegador pergunta onde guardá-la.',
  name: 'Nome',
  nameHint: 'Para você saber qual é: o celular, a chave azul…',
  password: 'Senha atual',
  make: 'Continuar',
  cancel: 'Cancelar',
  added: 'Chave de acesso criada.',
  rename: 'Mudar nome',
  renameTitle: 'Nome da chave de acesso',
  save: 'Guardar',
  remove: 'Remover',
  removeTitle: (name: string) => `Remover “${name}”?`,
  removeText: 'Com ela ninguém mais entra aqui. No aparelho ela continua até você apagá-la lá.',
  removeLast:
    'É a última: depois disso a senha basta para entrar. Ao remover, o navegador pede a chave mais uma vez.',
  removeLastPaper: 'É a última: depois disso a senha basta para entrar.',
  usePaper: 'Usar um código de recuperação',
  removed: 'Chave de acesso removida.',
});

export const preferenceWords = source({
  title: 'Preferências',
  station: 'Neste aparelho',
  language: 'Idioma',
  theme: 'Tema',
  themes: { auto: 'como o aparelho', light: 'claro', dark: 'escuro', sun: 'pelo sol da fazenda' },
  sunHint: 'Escuro do pôr ao nascer do sol na fazenda.',
  noSunHint:
    'Não se sabe onde a fazenda fica: escuro das 18 às 6 h dela. A posição fica em Sistema, Fazenda.',
  density: 'Tamanho',
  densities: { auto: 'automático', compact: 'compacto', touch: 'para o dedo', tv: 'para ver de longe' },
  tvHint:
    'No escuro brilha menos à noite; toque ou tecla clareia por um minuto. Com alarme crítico ou alto, ou sem contato, brilha inteira.',
  currency: 'Moeda',
  currencyHint: 'Muda só o símbolo neste aparelho; nenhum valor é convertido.',
  keys: 'Atalhos de uma tecla',
  keySets: { none: 'nenhum', help: 'só ? (ajuda)', all: 'todos (g, j, k, o, /)' },
  keysHint: 'F8, F9 e Ctrl+K valem sempre.',
  sound: 'Som',
  nightVolume: 'De noite, alarmes que não são críticos',
  nightVolumes: { '100': 'como de dia', '60': 'mais baixo', '30': 'bem baixo' },
  nightVolumeHint:
    'O crítico toca sempre no máximo. No painel e na tela de longe nada fica abaixo de “mais baixo”.',
  soundText: 'Toque e ouça: três bipes, como num alarme crítico.',
  test: 'Testar o som',
  heard: 'Tocou. Se não ouviu, aumente o volume do aparelho.',
  blocked: 'O navegador bloqueou o som. Toque na página e teste de novo.',
  lastTest: (at: string) => `Último teste: ${at}`,
  neverTested: 'Ainda não foi testado neste aparelho.',
  account: 'Conta',
  name: 'Nome',
  email: 'E-mail',
  phone: 'Telefone',
  password: 'Senha',
  oldPassword: 'Senha atual',
  newPassword: 'Senha nova',
  again: 'Senha nova, de novo',
  short: 'Pelo menos 8 caracteres.',
  differ: 'As duas não são iguais.',
  change: 'Mudar a senha',
  changed: 'Senha mudada. Os outros aparelhos precisam entrar de novo.',
  passwordText: 'Mudar a senha encerra todas as sessões, também em aparelhos perdidos.',
  tokens: 'Acessos para programas',
  tokensText:
    'Um acesso deixa um programa ler ou gravar em seu nome, sem a sua senha. É mostrado uma vez e pode ser revogado.',
  noTokens: 'Nenhum acesso criado.',
  tokensLocked: 'Criar acessos faz parte dos planos a partir do Basic.',
  seePlans: 'Ver planos',
  newToken: 'Criar acesso',
  tokenName: 'Para que serve',
  scopes: 'O que pode',
  scope: { read: 'ler', record: 'registrar e mudar cadastros', control: 'ligar e desligar aeração' },
  expires: 'Vale',
  days: { '30': '30 dias', '90': '90 dias', '365': '1 ano', never: 'até ser revogado' },
  tokenTitle: 'Acesso novo',
  tokenText: 'É mostrado só agora. Guarde-o no programa antes de fechar.',
  token: 'Acesso',
  kept: 'Já guardei o acesso',
  revoke: 'Revogar',
  revokeTitle: (name: string) => `Revogar ${name}?`,
  revokeText: 'O programa que o usa para de funcionar na hora.',
  revoked: (at: string) => `revogado ${at}`,
  endsOn: (day: string) => `vale até ${day}`,
  ended: (day: string) => `venceu ${day}`,
  endless: 'sem prazo',
  used: (at: string) => `usado ${at}`,
  unused: 'nunca usado',
  data: 'Meus dados',
  dataText: 'Tudo que a conta tem e possui, num arquivo JSON. Vale em qualquer plano.',
  export: 'Baixar meus dados',
  remove: 'Apagar a conta',
  removeText: 'Acessos e sessões acabam na hora; seu nome e e-mail saem dos registros. Não há volta.',
  removeTitle: 'Apagar a conta?',
  withFarms: (n: number) =>
    n === 1
      ? 'Apagar também a minha fazenda e tudo nela'
      : `Apagar também as minhas ${n} fazendas e tudo nelas`,
  handFirst: 'Sem isso a conta só pode ser apagada depois de transferir as fazendas.',
});

export const pushWords = source({
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
  wishes: 'O que chega aqui e a hora de silêncio mudam no canal, na lista abaixo. Sair da conta não desliga.',
  fault: {
    notAllowed: 'O navegador não deixou. Permita as notificações deste endereço e tente de novo.',
    noService:
      'O serviço de avisos do navegador não respondeu. Para ligar, este aparelho precisa de internet.',
  },
});

export const secondFactorWords = source({
  title: 'Segundo fator: aplicativo de códigos',
  why: 'Além da senha, entrar pede um código de 6 números do seu celular. Quem descobrir a senha não entra só com ela.',
  whereBox: 'Vale neste gateway; a nuvem tem o seu próprio.',
  whereHosted: 'Vale na nuvem e na primeira entrada num gateway; cada gateway pode ter também o seu próprio.',
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
  mustTitle: 'Falta o seu segundo fator',
  mustText:
    'Aqui pessoas com a sua função entram com um segundo fator. Configure um aplicativo de códigos ou uma chave de acesso; até lá nada mais se abre.',
  mustGoOn: 'Continuar',
  endTitle: 'Desligar o segundo fator?',
  endText: 'Depois disso, a senha basta para entrar, a não ser que haja chaves de acesso.',
});

export const sessionWords = source({
  title: 'Sessões',
  text: 'Onde sua conta está aberta neste endereço. Se não reconhecer uma, encerre-a e mude a senha.',
  untilText: (at: string) => `Este aparelho fica conectado até ${at} e se renova sozinho enquanto é usado.`,
  device: (browser: string, system: string) => `${browser} em ${system}`,
  unknownDevice: 'Aparelho desconhecido',
  isThis: 'este aparelho',
  network: { farm: 'na fazenda', outside: 'de fora da fazenda' },
  lastUse: (at: string) => `último uso ${at}`,
  since: (at: string) => `aberta ${at}`,
  notListed: 'A sessão deste aparelho é mais antiga que esta lista; aparece aqui quando se renovar.',
  all: (n: number) => `Mostrar todas as ${n}`,
  end: 'Encerrar',
  endTitle: (device: string) => `Encerrar ${device}?`,
  endText: 'Esse aparelho sai na hora e precisa da senha para entrar de novo.',
  endLabel: 'Encerrar a sessão',
  endOthers: 'Encerrar todas as outras',
  endOthersTitle: 'Encerrar todas as outras sessões?',
  endOthersText:
    'Só este aparelho continua, telas de parede também saem. Valem também sessões antigas que não estão na lista. Acessos para programas continuam.',
  ended: (n: number) => (n === 1 ? '1 sessão encerrada.' : `${n} sessões encerradas.`),
  signOut: 'Sair deste aparelho',
  password: 'Senha atual',
  refused: { WRONG_PASSWORD: 'A senha não confere.' },
});

export const planWords = source({
  title: 'Plano',
  neverStops:
    'O plano nunca para a aeração: comandos, horários, alarmes e registros seguem mesmo com pagamento atrasado.',
  now: 'Seu plano',
  status: {
    ACTIVE: 'em dia',
    PAST_DUE: 'pagamento atrasado',
    CANCELED: 'cancelado',
    TRIALING: 'em teste',
  },
  grace: (day: string) => `Até ${day} ainda dá para criar fazendas, viveiros e lotes.`,
  renews: (day: string) => `Renova em ${day}.`,
  ends: (day: string) => `Termina em ${day} e não renova.`,
  usage: 'Uso',
  of: { farms: 'Fazendas', ponds: 'Viveiros', active_batches: 'Lotes ativos' },
  used: (current: string, max: string) => `${current} de ${max}`,
  unlimited: (current: string) => `${current}, sem limite`,
  plans: 'Planos',
  current: 'É o seu',
  perMonth: 'por mês',
  free: 'Grátis',
  agreement: 'Sob consulta',
  limit: {
    max_farms: (n: number) => (n === 1 ? '1 fazenda' : `${n} fazendas`),
    max_ponds_per_farm: (n: number) => (n === 1 ? '1 viveiro por fazenda' : `${n} viveiros por fazenda`),
    max_batches_per_pond: (n: number) => (n === 1 ? '1 lote por viveiro' : `${n} lotes por viveiro`),
  },
  noLimit: {
    max_farms: 'Fazendas sem limite',
    max_ponds_per_farm: 'Viveiros sem limite',
    max_batches_per_pond: 'Lotes sem limite',
  },
  features: {
    advanced_analytics: 'Análises avançadas',
    api_access: 'Acesso por API',
    export_data: 'Exportar dados',
    priority_support: 'Suporte prioritário',
    custom_reports: 'Relatórios próprios',
    ai_predictions: 'Previsões',
    white_label: 'Marca própria',
  } satisfies Record<Feature, string>,
  includes: 'inclui',
  lacks: 'não inclui',
  choose: (plan: string) => `Mudar para ${plan}`,
  payHint: 'O pagamento abre numa página segura, fora daqui, e volta para cá.',
  portal: 'Faturas e forma de pagamento',
  cancel: 'Cancelar assinatura',
  cancelTitle: 'Cancelar a assinatura?',
  cancelText:
    'O plano vale até o fim do período pago. Depois nada é apagado e tudo segue funcionando; para criar algo novo, escolha um plano (o Free é grátis).',
  cancelled: 'Assinatura cancelada.',
  currency: 'Pagar em',
  paid: 'Pagamento recebido. O plano muda assim que o banco confirmar.',
  gaveUp: 'O pagamento não foi feito. Nada mudou.',
});
