import { useState } from 'preact/hooks';
import type { BusScanAnswer, ProbeAnswer, ProbeBusAnswer } from '#contract/resources/probes.ts';
import { busWords, probeWords } from '#words/probes.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { DecimalField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { TroubleNote } from './probe-card.tsx';
import type { ProbePlace } from './probe-dialog.tsx';

const LAST = 247;

/** Asks every address of a bus; whoever answers can be put into a pond from here. */
export function BusScan({
  bus,
  probes,
  onHang,
}: {
  bus: ProbeBusAnswer;
  probes: readonly ProbeAnswer[];
  onHang: (place: ProbePlace) => void;
}) {
  const words = busWords();
  const path = `/probe-buses/${bus.id}/scan`;
  const scan = useGet<BusScanAnswer>(path).data;
  const { fault, run } = useWork();
  const [from, setFrom] = useState('1');
  const [to, setTo] = useState(String(LAST));
  const isRunning = scan?.state === 'running';
  const [first, last] = [readCount(from) ?? 0, readCount(to) ?? 0];
  const isRight = first >= 1 && last <= LAST && first <= last;
  const start = () =>
    run(async () => {
      await post(path, { from: first, to: last });
      refresh('probe-buses');
    });
  const stop = () => run(() => del(path).finally(() => refresh('probe-buses')));
  return (
    <div class="stack" data-scan={scan?.state ?? 'none'}>
      {isRunning ? (
        <div class="stack">
          <div class="row apart">
            <span>{words.scanning(scan.asked, scan.total)}</span>
            {mayOperate.value ? <WorkButton work={stop}>{words.scanStop}</WorkButton> : null}
          </div>
          <progress class="wide" aria-label={words.scan} value={scan.asked} max={Math.max(1, scan.total)} />
        </div>
      ) : mayOperate.value ? (
        <div class="stack">
          <div class="row end-aligned">
            <DecimalField
              label={words.from}
              inputMode="numeric"
              size={4}
              value={from}
              fault={isRight ? null : probeWords().badUnit}
              onInput={(event) => setFrom(event.currentTarget.value)}
            />
            <DecimalField
              label={words.to}
              inputMode="numeric"
              size={4}
              value={to}
              onInput={(event) => setTo(event.currentTarget.value)}
            />
            <WorkButton disabled={isBlind.value} unready={!isRight || bus.state === 'off'} work={start}>
              {scan === undefined || scan.state === 'none' ? words.scan : words.scanAgain}
            </WorkButton>
          </div>
          <p class="muted small">{words.scanText}</p>
        </div>
      ) : null}
      <Outcome scan={scan} bus={bus} probes={probes} onHang={onHang} />
      <FaultNote fault={fault} />
    </div>
  );
}

function Outcome({
  scan,
  bus,
  probes,
  onHang,
}: {
  scan: BusScanAnswer | undefined;
  bus: ProbeBusAnswer;
  probes: readonly ProbeAnswer[];
  onHang: (place: ProbePlace) => void;
}) {
  const words = busWords();
  if (scan === undefined || scan.state === 'none') return null;
  const isOver = scan.state !== 'running';
  return (
    <>
      <p role="status" class={scan.state === 'running' ? 'visually-hidden' : ''}>
        {scan.state === 'running' ? '' : `${words.scanState[scan.state]} (${scan.from}–${scan.to}).`}
      </p>
      <TroubleNote trouble={scan.trouble} />
      {isOver && scan.found.length === 0 && scan.trouble === null ? (
        <p class="note">{words.foundNone}</p>
      ) : null}
      <ul class="lines">
        {scan.found.map(({ unit_id, answer }) => {
          const known = probes.find((probe) => probe.unit_id === unit_id);
          return (
            <li key={unit_id} class="row apart" data-found={unit_id}>
              <span>
                <strong>{probeWords().address(unit_id)}</strong> ·{' '}
                {known === undefined ? words.found[answer] : words.known(`${known.pond_cod} · ${known.name}`)}
              </span>
              {known === undefined && answer !== 'garbled' && mayOperate.value ? (
                <Button
                  look="main"
                  disabled={isBlind.value}
                  onClick={() => onHang({ probe_bus_id: bus.id, unit_id })}
                >
                  {words.hang}
                </Button>
              ) : null}
            </li>
          );
        })}
      </ul>
    </>
  );
}
