import { Tabs } from '../../components/tabs.tsx';
import { mayManage } from '../../data/farm-store.ts';
import '../../styles/batches.css';
import { NewTransfer } from './new-transfer.tsx';
import { TransferHistory } from './transfer-history.tsx';
import { WhereTheyAre } from './where-they-are.tsx';
import { transferWords } from './words.ts';

export function Transfers({ params }: { params: Readonly<Record<string, string>> }) {
  const words = transferWords();
  // who may not move animals begins with where they are
  const tab = params['tab'] ?? (mayManage.value ? '' : 'onde');
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs
        label={words.title}
        tabs={[
          ...(mayManage.value ? [{ href: '/transferencias', label: words.tabs.new }] : []),
          { href: '/transferencias/historico', label: words.tabs.history },
          { href: '/transferencias/onde', label: words.tabs.where },
        ]}
      />
      {tab === 'historico' ? <TransferHistory /> : tab === 'onde' ? <WhereTheyAre /> : <NewTransfer />}
    </div>
  );
}
