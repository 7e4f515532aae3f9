import { useState } from 'preact/hooks';
import type { BenchJobAnswer } from '#contract/resources/bench.ts';
import { Empty } from '../../components/answer.tsx';
import { mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { SystemPage } from '../box/system-page.tsx';
import { PartList } from '../system/part-list.tsx';
import { systemWords } from '../system/words.ts';
import { FirmwareStep } from './firmware-step.tsx';
import { IdentityStep } from './identity-step.tsx';
import { type Board, PortStep } from './port-step.tsx';
import { ProofStep } from './proof-step.tsx';
import { Tools } from './tools.tsx';
import { useIdentity } from './use-identity.ts';
import { useJob } from './use-job.ts';
import { type Networks, type Wifi, WifiStep } from './wifi-step.tsx';
import { benchWords } from './words.ts';
import '../../styles/bench.css';

/** From a blank board to a controller that proved itself, at a cable of the gateway. */
export function Bench() {
  const words = benchWords();
  if (isHosted.value || !mayOperate.value) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : systemWords().noRight} />
      </SystemPage>
    );
  }
  return <Steps />;
}

function Steps() {
  const words = benchWords();
  const [port, setPort] = useState<string | null>(null);
  const [board, setBoard] = useState<Board | null>(null);
  const [networks, setNetworks] = useState<Networks>([]);
  const [wifi, setWifi] = useState<Wifi>({ ssid: '', password: '', host: '' });
  const [proved, setProved] = useState<BenchJobAnswer | null>(null);
  const identity = useIdentity(board);
  const desk = useJob((job) => {
    setPort(job.port);
    if (job.state !== 'done') return;
    if (job.kind === 'detect') setBoard(job.result);
    if (job.kind === 'wifi_scan') setNetworks(job.result?.networks ?? []);
    if (job.kind === 'provision' || job.kind === 'self_test') setProved(job);
  });
  const choose = (path: string) => {
    setPort(path);
    setBoard(null);
    setProved(null);
    void desk.start('port', { kind: 'detect', port: path });
  };
  const chip = typeof board?.['chip'] === 'string' ? board['chip'] : null;
  return (
    <SystemPage title={words.title} narrow>
      <PartList parts={words.others} />
      <p class="muted">{words.intro}</p>
      <PortStep desk={desk} port={port} board={board} onChoose={choose} />
      <FirmwareStep desk={desk} port={port} chip={chip} />
      <IdentityStep identity={identity} />
      <WifiStep desk={desk} port={port} wifi={wifi} networks={networks} onChange={setWifi} />
      <ProofStep desk={desk} port={port} identity={identity} wifi={wifi} proved={proved} />
      <Tools desk={desk} port={port} />
    </SystemPage>
  );
}
