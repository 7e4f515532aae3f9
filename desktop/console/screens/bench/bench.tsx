import '../../styles/bench.css';
import { useState } from 'preact/hooks';
import type { BenchJobAnswer } from '#contract/resources/bench.ts';
import { benchWords } from '#words/bench.ts';
import { systemWords } from '#words/shell.ts';
import { Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { farmControlPoints, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { SystemPage } from '../box/system-page.tsx';
import { PartList } from '../system/part-list.tsx';
import { FirmwareStep } from './firmware-step.tsx';
import { JobView } from './job-view.tsx';
import { ProofStep } from './proof-step.tsx';
import { type Identity, useIdentity } from './use-identity.ts';
import { type BenchDesk, useJob } from './use-job.ts';
import { type Board, type Networks, PortStep, type Wifi, WifiStep } from './wifi-step.tsx';

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

function IdentityStep({ identity }: { identity: Identity }) {
  const words = benchWords();
  return (
    <section class="card stack" aria-labelledby="bench-identity">
      <h2 id="bench-identity">{words.identity}</h2>
      <SelectField
        label={words.point}
        value={identity.pointId}
        options={[
          { value: '', label: words.newPoint },
          ...farmControlPoints.value
            .filter(({ is_simulated }) => !is_simulated)
            .map((point) => ({
              value: point.id,
              label: `${point.cod} · ${point.device_id}`,
            })),
        ]}
        onChange={(event) => identity.choose(event.currentTarget.value)}
      />
      {identity.pointId === '' ? (
        <>
          <TextField
            label={words.code}
            value={identity.code}
            maxLength={255}
            onInput={(event) => identity.setCod(event.currentTarget.value)}
          />
          <TextField
            label={words.device}
            value={identity.deviceId}
            maxLength={255}
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => identity.setDevice(event.currentTarget.value)}
          />
        </>
      ) : null}
      <p class="muted small">{words.identityText}</p>
    </section>
  );
}

/** Listening to a board, and emptying it. */
function Tools({ desk, port }: { desk: BenchDesk; port: string | null }) {
  const words = benchWords();
  const [asking, setAsking] = useState<'all' | 'identity' | null>(null);
  const isIdle = port !== null && !desk.isBusy;
  const monitor = async (reset: boolean) => {
    if (port !== null) await desk.start('tools', { kind: 'monitor', port, reset });
  };
  const erase = async () => {
    if (port !== null && asking !== null) await desk.start('tools', { kind: 'erase', port, what: asking });
  };
  return (
    <section class="card stack" aria-labelledby="bench-tools">
      <h2 id="bench-tools">{words.tools}</h2>
      <div class="row">
        <WorkButton disabled={!isIdle} work={() => monitor(false)}>
          {words.monitor}
        </WorkButton>
        <WorkButton disabled={!isIdle} work={() => monitor(true)}>
          {words.monitorReset}
        </WorkButton>
        <Button look="danger" disabled={!isIdle} onClick={() => setAsking('identity')}>
          {words.eraseIdentity}
        </Button>
        <Button look="danger" disabled={!isIdle} onClick={() => setAsking('all')}>
          {words.erase}
        </Button>
      </div>
      <JobView desk={desk} place="tools" />
      {asking === null ? null : (
        <ConfirmDialog
          title={asking === 'all' ? words.eraseTitle : words.forgetTitle}
          label={asking === 'all' ? words.erase : words.eraseIdentity}
          work={erase}
          onClose={() => setAsking(null)}
        >
          <p>{asking === 'all' ? words.eraseText : words.forgetText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
