import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AdoptAnswer, QueueEntry } from '#contract/resources/adoption.ts';
import { adoptionWords, deviceWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ApiError, post } from '../../data/api.ts';
import { serverNow } from '../../data/clock.ts';
import { type ControlPoint, farm, farmControlPoints, presence } from '../../data/farm-store.ts';
import { refresh, useGet } from '../../data/query.ts';
import { clockTime } from '../../i18n/format.ts';
import { nextCode } from '../account/second-factor.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

import { KeyShown } from './key-shown.tsx';
import { nameOf } from './knocks.ts';
import { openWindow, USUAL_MINUTES, useWindow } from './provisioning-window.tsx';

type Given = { answer: AdoptAnswer; givenAt: number };

/**
 * A place for a device: a new control point, one of the farm, or that of a broken controller (`point`), for which the
 * device is chosen here.
 */
export function AdoptDialog({
  entry = null,
  point = null,
  onClose,
}: {
  entry?: QueueEntry | null;
  point?: ControlPoint | null;
  onClose: () => void;
}) {
  const words = adoptionWords();
  const [given, setGiven] = useState<Given | null>(null);
  const title =
    point !== null
      ? words.replaceTitle(point.cod)
      : entry === null
        ? deviceWords().createTitle
        : words.adoptTitle(nameOf({ name: entry.device_id, entry }));
  if (given !== null) return <Adopted title={title} given={given} onClose={onClose} />;
  return <Choice title={title} entry={entry} point={point} onGiven={setGiven} onClose={onClose} />;
}

/** As it stands on the label; spaces, hyphens and case do not count. */
const isClaim = (text: string): boolean => /^[0-9A-Z]{12,64}$/i.test(text.replaceAll(/[\s-]/g, ''));

function Choice({
  title,
  entry,
  point,
  onGiven,
  onClose,
}: {
  title: string;
  entry: QueueEntry | null;
  point: ControlPoint | null;
  onGiven: (given: Given) => void;
  onClose: () => void;
}) {
  const words = adoptionWords();
  const shared = systemWords();
  const naming = deviceWords();
  const { fault, setFault, run } = useWork(adoptionWords().faults);
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const own = points.find(({ id }) => id === entry?.control_point?.id);
  const [pointId, setPointId] = useState(point?.id ?? own?.id ?? '');
  const [cod, setCod] = useState(() => nextCode(points.map((row) => row.cod)));
  const [typed, setTyped] = useState('');
  const [claim, setClaim] = useState('');
  const [isReplacing, setReplacing] = useState(point !== null);
  const { queue, candidates } = useCandidates(point);
  const [candidateId, setCandidateId] = useState<string | null>(null);
  // until somebody chose or typed, the first that may take the place
  const proposed = candidateId === null && typed === '' ? candidates[0] : undefined;
  const chosen = entry ?? candidates.find(({ id }) => id === candidateId) ?? proposed ?? null;
  const place = points.find(({ id }) => id === pointId) ?? null;
  const needsClaim = chosen?.how === 'claim';
  const deviceId = (chosen?.device_id ?? typed).trim();
  const isReady = (pointId !== '' || cod.trim() !== '') && (needsClaim ? isClaim(claim) : deviceId !== '');

  const give = () =>
    run(async () => {
      const device = needsClaim ? { mac: chosen?.mac, claim: claim.trim() } : { device_id: deviceId };
      try {
        const answer =
          pointId === ''
            ? await post('/adoption/create', {
                farm_id: farm.value?.id,
                cod: cod.trim(),
                ...device,
              })
            : await post(`/control-points/${pointId}/${isReplacing ? 'replace' : 'adopt'}`, device);
        refresh('control-points', 'devices', 'adoption');
        onGiven({ answer, givenAt: serverNow() });
      } catch (error) {
        // the gateway knows whether another one is there; the person decides whether it goes
        if (!(error instanceof ApiError) || error.code !== 'HAS_CONTROLLER') throw error;
        setReplacing(true);
      }
    });

  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton big look={isReplacing ? 'danger' : 'main'} unready={!isReady} work={give}>
            {isReplacing ? words.replace : words.adopt}
          </WorkButton>
        </>
      }
    >
      {point === null ? (
        <SelectField
          label={words.point}
          value={pointId}
          options={[
            { value: '', label: words.newPoint },
            ...points.map((row) => ({ value: row.id, label: `${row.cod} · ${row.device_id}` })),
          ]}
          onChange={(event) => {
            setPointId(event.currentTarget.value);
            setReplacing(false);
            setFault(null);
          }}
        />
      ) : (
        <>
          <p>{words.replaceText}</p>
          {queue.data === undefined ? <Awaited of={[queue]} /> : null}
          <SelectField
            label={words.which}
            value={chosen?.id ?? ''}
            options={[
              ...candidates.map((row) => ({
                value: row.id,
                label: nameOf({ name: row.mac === null ? row.device_id : null, entry: row }),
              })),
              { value: '', label: words.other },
            ]}
            onChange={(event) => setCandidateId(event.currentTarget.value)}
          />
          <OpenForBoards />
        </>
      )}
      {pointId === '' ? (
        <TextField
          needed
          label={naming.code}
          hint={naming.codeHint}
          value={cod}
          maxLength={255}
          onInput={(event) => setCod(event.currentTarget.value)}
        />
      ) : null}
      {chosen === null ? (
        <TextField
          label={naming.device}
          hint={naming.deviceHint}
          value={typed}
          maxLength={255}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {needsClaim ? (
        <TextField
          needed
          label={words.claim}
          hint={words.claimHint}
          value={claim}
          fault={claim.trim() === '' || isClaim(claim) ? null : words.claimShape}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="characters"
          spellcheck={false}
          onInput={(event) => setClaim(event.currentTarget.value)}
        />
      ) : (
        <p class="muted small">{words.byHand}</p>
      )}
      {isReplacing && point === null && place !== null ? (
        <p class="note p2" role="alert">
          {words.hasController(place.cod, place.device_id)}
        </p>
      ) : null}
      <FaultNote fault={fault} />
    </Dialog>
  );
}

/** A board without a key shows itself only while the window is open. */
function OpenForBoards() {
  const words = adoptionWords();
  const told = useWindow();
  const { fault, run } = useWork(words.faults);
  if (told.data?.is_open !== false) return null;
  return (
    <div class="row">
      <span class="muted small grow">{words.onlyWhileOpen}</span>
      <WorkButton work={() => run(() => openWindow(USUAL_MINUTES), words.opened(USUAL_MINUTES))}>
        {words.open}
      </WorkButton>
      <FaultNote fault={fault} />
    </div>
  );
}

/** What may take the place of a broken controller: boards that wait, and names that nobody has. */
function useCandidates(point: ControlPoint | null) {
  const queue = useGet(point === null ? null : '/adoption/queue');
  const candidates = (queue.data ?? []).filter(
    (row) =>
      (row.how === 'claim' && row.is_waiting) ||
      (row.how === 'key' &&
        row.reason === 'unknown' &&
        row.profile !== 'tasmota' &&
        row.profile !== 'shelly'),
  );
  return { queue, candidates };
}

/** What the device was given, and what a hand does next; it is over when the device has spoken. */
function Adopted({
  title,
  given: { answer, givenAt },
  onClose,
}: {
  title: string;
  given: { answer: AdoptAnswer; givenAt: number };
  onClose: () => void;
}) {
  const words = adoptionWords();
  const keyWords = deviceWords();
  const heard = presence.value.get(answer.control_point_id)?.last_heartbeat ?? null;
  // the one before it may have spoken a moment ago
  const isHeard = heard !== null && Date.parse(heard) > givenAt;
  return (
    <Dialog
      title={title}
      // a key that is shown once is not lost by a slip beside the dialog
      onClose={answer.key === null ? onClose : () => undefined}
      actions={
        <>
          {answer.key === null ? (
            <Link
              class="button big"
              href={`/sistema/dispositivos/${answer.control_point_id}`}
              onClick={onClose}
            >
              {words.seePoint(answer.cod)}
            </Link>
          ) : null}
          <Button big look="main" onClick={onClose}>
            {answer.key === null ? words.done : keyWords.kept}
          </Button>
        </>
      }
    >
      <p data-adopted={answer.delivery}>
        <strong>{words.adopted(answer.cod, answer.device_id)}</strong>
      </p>
      {answer.replaced === null ? null : <p>{words.formerOut(answer.replaced.device_id)}</p>}
      <p>{answer.next}</p>
      {answer.key === null ? null : <KeyShown mqttId={answer.mqtt_id} secret={answer.key} />}
      <p role="status" data-heard={isHeard}>
        {isHeard ? words.heard(clockTime(heard)) : words.awaits}
      </p>
    </Dialog>
  );
}
