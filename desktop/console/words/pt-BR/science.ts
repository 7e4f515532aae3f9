import { source } from '../../i18n/catalogue.ts';

export const scienceWords = source({
  title: 'Cálculos da fazenda',
  open: 'Cálculos',
  openText:
    'Limites da água, ração, crescimento, aeração e energia: cada número que a fazenda pode ajustar, e o que ele muda.',
  back: 'Fazenda e viveiros',
  sections: {
    growth: 'Crescimento',
    feeding: 'Alimentação',
    survival: 'Sobrevivência',
    uniformity: 'Uniformidade',
    growthTrend: 'Tendência do crescimento',
    water: 'Água',
    trends: 'Tendências da água',
    aeration: 'Aeração e oxigênio',
    economics: 'Despesca e preço',
    energy: 'Energia',
  },
  changes: {
    growth:
      'Muda a curva de peso esperado, o aviso de lote atrasado, a data prevista de despesca e quando pesar de novo.',
    feeding:
      'Muda a ração proposta por dia e por trato, e quanto ela cai com frio, pouco oxigênio, amônia ou sobra na bandeja.',
    survival: 'Muda a população estimada entre contagens: dela saem biomassa, ração e conversão.',
    uniformity: 'Muda a nota de uniformidade da biometria e quantos camarões pesar.',
    growthTrend: 'Muda quando o crescimento é chamado de acelerando ou freando.',
    water:
      'Muda os limites que disparam alarmes, a faixa boa nos gráficos e as cores da água, e o que é aceito como leitura possível.',
    trends: 'Muda quando um parâmetro é dito subindo, caindo ou instável.',
    aeration:
      'Muda os pontos propostos de ligar e desligar por oxigênio, a previsão ao amanhecer e a conta de kg por cv.',
    economics: 'Muda o conselho de despesca e o preço por tamanho.',
    energy: 'Muda o custo da energia nos relatórios e a comparação por tonelada.',
  },
  filter: 'Procurar número',
  onlyOwn: 'Só os mudados pela fazenda',
  standard: (value: string) => `padrão ${value}`,
  range: (from: string, to: string) => `de ${from} a ${to}`,
  own: 'da fazenda',
  edit: (name: string) => `Mudar ${name}`,
  reset: 'Voltar ao padrão',
  saved: 'Guardado: os cálculos já usam o novo valor.',
  list: 'tabela',
  bad: (from: string, to: string) => `Entre ${from} e ${to}.`,
  none: 'Nada com esse nome.',
});
