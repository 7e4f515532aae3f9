import { useState } from 'preact/hooks';
import type { BenchJobAnswer } from '#contract/resources/bench.ts';
import { benchWords } from '#words/bench.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { download } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { refresh, useGet } from '../../data/query.ts';
import { clockTime, figure } from '../../i18n/format.ts';
import { nextCode } from '../account/second-factor.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { type BenchDesk, JobView, whyNotNow } from './job-view.tsx';
import type { Board, Wifi } from './wifi-step.tsx';

const RELAY_S = 2;

/** Identity and Wi-Fi go onto the board; what counts is that it then reports by itself under its new key. */
export function ProofStep({
  desk,
  port,
  identity,
  wifi,
  proved,
}: {
  desk: BenchDesk;
  port: string | null;
  identity: Identity;
  wifi: Wifi;
  /** The last job of this step that came to its end. */
  proved: BenchJobAnswer | null;
}) {
  const words = benchWords();
  const { fault, run } = useWork();
  const [testsRelay, setTestsRelay] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const provision = async () => {
    if (port === null) return;
    await run(async () => {
      const control_point_id = await identity.settle();
      await desk.start('proof', {
        kind: 'provision',
        port,
        control_point_id,
        wifi: wifi.ssid === '' ? null : { ssid: wifi.ssid, password: wifi.password },
        ...(wifi.host.trim() === '' ? {} : { gateway_host: wifi.host.trim() }),
        ...(testsRelay ? { self_test: { for_s: RELAY_S } } : {}),
      });
    });
  };
  const selfTest = async () => {
    if (port !== null) await desk.start('proof', { kind: 'self_test', port, for_s: RELAY_S });
  };
  const why = whyNotNow(desk, port);
  return (
    <section class="card stack" aria-labelledby="bench-proof">
      <h2 id="bench-proof">{words.proof}</h2>
      <CheckField
        label={words.relay}
        checked={testsRelay}
        onChange={(event) => setTestsRelay(event.currentTarget.checked)}
      />
      <div class="row">
        <WorkButton look="main" why={why} unready={!identity.isReady} work={provision}>
          {words.provision}
        </WorkButton>
        <Button why={why} onClick={() => setAsking(true)}>
          {words.selfTest}
        </Button>
      </div>
      <FaultNote fault={fault} />
      <JobView desk={desk} place="proof" />
      {proved === null ? null : <Proved job={proved} />}
      {isAsking ? (
        <ConfirmDialog
          title={words.selfTestTitle}
          label={words.selfTest}
          work={selfTest}
          onClose={() => setAsking(false)}
        >
          <p>{words.selfTestText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function Proved({ job }: { job: BenchJobAnswer }) {
  const words = benchWords();
  const { first_heartbeat_at: at, motor_current_ma: current } = job.result ?? {};
  return (
    <div class="stack" data-proved={job.kind}>
      {at === undefined ? null : (
        <p>
          <strong>{words.firstBeat(clockTime(at))}</strong>
        </p>
      )}
      {typeof current === 'number' ? <p>{words.current(figure(current))}</p> : null}
      {job.control_point_id === null ? null : <Label pointId={job.control_point_id} />}
    </div>
  );
}

function Label({ pointId }: { pointId: string }) {
  const words = benchWords();
  const { fault, run } = useWork();
  const labels = useGet('/bench/labels', { ids: pointId });
  return (
    <div class="stack">
      <h3>{words.label}</h3>
      <p class="muted">{words.labelText}</p>
      <Answer of={labels}>
        {([label]) =>
          label === undefined ? null : (
            <>
              <img
                class="bench-label"
                alt={label.text}
                src={`data:image/svg+xml,${encodeURIComponent(label.svg)}`}
              />
              {label.claim === null ? <p class="note p2">{words.noClaim}</p> : null}
            </>
          )
        }
      </Answer>
      <div>
        <WorkButton
          work={() => run(() => download(`/bench/label-sheet?ids=${pointId}`, `${words.label}.html`))}
        >
          {words.sheet}
        </WorkButton>
      </div>
      <FaultNote fault={fault} />
    </div>
  );
}

export type Identity = ReturnType<typeof useIdentity>;

/** Who the board becomes: a control point of the farm, or a new one that is made when it is needed. */
export function useIdentity(board: Board | null) {
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const send = useSend();
  /** `''`: a new one; null: not chosen yet. */
  const [chosen, choose] = useState<string | null>(null);
  const [cod, setCod] = useState<string | null>(null);
  const [device, setDevice] = useState<string | null>(null);
  const mac = typeof board?.['mac'] === 'string' ? board['mac'] : null;
  const code = cod ?? nextCode(points.map((point) => point.cod));
  const deviceId = device ?? (mac === null ? '' : `aer-${mac.replaceAll(':', '').slice(-6).toLowerCase()}`);
  // a board that was here before is offered the place it had
  const former = formerIdentity(board) ?? deviceId;
  const pointId = chosen ?? points.find(({ device_id }) => device_id === former)?.id ?? '';
  return {
    pointId,
    choose,
    code,
    setCod,
    deviceId,
    setDevice,
    isReady: pointId !== '' || (code.trim() !== '' && deviceId.trim() !== ''),
    /** The id of the control point. Throws what the interface refuses. */
    async settle(): Promise<string> {
      if (pointId !== '') return pointId;
      const made = await send('/control-points/', {
        farm_id: farm.value?.id,
        cod: code.trim(),
        device_id: deviceId.trim(),
        target_status: 'OFF',
      });
      refresh('control-points', 'devices');
      choose(made.id);
      return made.id;
    },
  };
}

function formerIdentity(board: Board | null): string | null {
  const identity = board?.['identity'];
  if (typeof identity !== 'object' || identity === null || !('device_id' in identity)) return null;
  return typeof identity.device_id === 'string' ? identity.device_id : null;
}
