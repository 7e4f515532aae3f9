import { Tabs } from '../../components/tabs.tsx';
import '../../styles/reports.css';
import { BiomassReport } from './biomass-report.tsx';
import { EnergyReport } from './energy-report.tsx';
import { FeedReport } from './feed-report.tsx';
import { Files } from './files.tsx';
import { GrowthReport } from './growth-report.tsx';
import { Overview } from './overview.tsx';
import { SurvivalReport } from './survival-report.tsx';
import { reportWords } from './words.ts';

const TABS = [
  ['overview', '/relatorios', Overview],
  ['growth', '/relatorios/crescimento', GrowthReport],
  ['survival', '/relatorios/sobrevivencia', SurvivalReport],
  ['feed', '/relatorios/racao', FeedReport],
  ['biomass', '/relatorios/biomassa', BiomassReport],
  ['energy', '/relatorios/energia', EnergyReport],
  ['files', '/relatorios/arquivos', Files],
] as const;

export function Reports({ params }: { params: Readonly<Record<string, string>> }) {
  const words = reportWords();
  const asked = params['tab'] === undefined ? '/relatorios' : `/relatorios/${params['tab']}`;
  const Shown = TABS.find(([, href]) => href === asked)?.[2] ?? Overview;
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs label={words.title} tabs={TABS.map(([tab, href]) => ({ href, label: words.tabs[tab] }))} />
      <Shown />
    </div>
  );
}
