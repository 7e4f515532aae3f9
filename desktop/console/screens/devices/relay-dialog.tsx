import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { RelayAnswer, RelayInput, RelayKind, relayAdopted } from '#contract/resources/relays.ts';
import { adoptionWords, deviceWords, relayWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { type ControlPoint, farm, farmControlPoints } from '../../data/farm-store.ts';
import { refresh, useGet } from '../../data/query.ts';
import { nextCode } from '../account/second-factor.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

import type { Knock } from './knocks.ts';

type RelayGiven = z.infer<typeof relayAdopted>;

/** Stands in the lines where the gateway does not know the address of the relay. */
const NO_ADDRESS = 'RELAY-ADDRESS';
/** An address or a name, nothing that would lead elsewhere. */
const ADDRESS = /^[A-Za-z0-9.-]+$/;

/** What goes into the relay, and whether it came in with it. */
function RelaySettingsDialog({
  given,
  web,
  onClose,
}: {
  given: RelayGiven;
  /** Its own page, where it is known. */
  web: string | null;
  onClose: () => void;
}) {
  const words = relayWords();
  const { settings } = given;
  const [address, setAddress] = useState('');
  const lacksAddress = settings.steps.some(({ text }) => text.includes(NO_ADDRESS));
  const steps = settings.steps.map(({ where, text }) => ({
    where,
    text: ADDRESS.test(address.trim()) ? text.replace(NO_ADDRESS, address.trim()) : text,
  }));
  const inConsole = steps.filter(({ where }) => where === 'tasmota_console');
  const inBrowser = steps.filter(({ where }) => where === 'browser');
  return (
    <Dialog
      title={words.settingsTitle(given.cod)}
      // the key is shown once: not lost by a slip beside the dialog
      onClose={settings.mqtt_password === null ? onClose : () => undefined}
      actions={
        <Button big look="main" onClick={onClose}>
          {adoptionWords().done}
        </Button>
      }
    >
      {settings.mqtt_password === null ? null : <p>{words.onlyNow}</p>}
      {web === null ? null : (
        <p>
          {words.openPage}{' '}
          <a class="tall breaks" href={web} target="_blank" rel="noreferrer">
            {web}
          </a>
        </p>
      )}
      {inConsole.length === 0 ? null : <p>{words.thenConsole}</p>}
      {inConsole.map(({ text }) => (
        <div key={text} class="copy-long">
          <CopyText label={words.console} text={text} />
        </div>
      ))}
      {lacksAddress ? (
        <TextField
          label={words.address}
          hint={words.addressHint}
          value={address}
          maxLength={64}
          inputMode="decimal"
          autoComplete="off"
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      ) : null}
      {inBrowser.length === 0 ? null : <p>{words.thenBrowser}</p>}
      {inBrowser.map(({ text }, index) => (
        <div key={index} class="copy-long">
          <CopyText label={words.addressN(index + 1)} text={text} />
        </div>
      ))}
      <details>
        <summary>{words.oneByOne}</summary>
        <dl class="plain-pairs">
          {settings.fields.map(({ name, value }) => (
            <div key={name}>
              <dt class="muted">{name}</dt>
              <dd class="mono breaks">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {settings.host_candidates.length === 0 ? null : (
        <p class="muted small">{words.others(settings.host_candidates.join(', '))}</p>
      )}
      {given.is_connected ? null : <CameIn controlPointId={given.control_point_id} />}
    </Dialog>
  );
}

function CameIn({ controlPointId }: { controlPointId: string }) {
  const words = relayWords();
  const told = useGet(`/control-points/${controlPointId}/relay`);
  const relay = told.data?.relay ?? null;
  const isHere = relay !== null && relay.is_connected;
  return (
    <p role="status" data-relay={isHere ? (relay.is_listening ? 'listens' : 'here') : 'away'}>
      <strong>{!isHere ? words.awaits : relay.is_listening ? words.came : words.cameDeaf}</strong>
    </p>
  );
}

type Extras = typeof NO_EXTRAS;

/** As the interface takes them; its own constant would bring every schema into the page. */
const MOST_CHANNELS = 16;

const NO_EXTRAS = { channel: 1, carrierId: '', host: '' };

const KINDS: readonly RelayKind[] = ['tasmota', 'shelly'];

/** Which relay switches which point; then what to paste into it; then it comes in. */
export function RelayDialog(asked: {
  /** What knocked; none: the relay was not told of the gateway yet. */
  knock?: Knock | null;
  point?: ControlPoint | null;
  /** The relay the point has: its settings are shown again, with a new key. */
  known?: RelayAnswer | null;
  onClose: () => void;
}) {
  const { knock = null, point = null, known = null, onClose } = asked;
  const [given, setGiven] = useState<RelayGiven | null>(null);
  if (given !== null) {
    return <RelaySettingsDialog given={given} web={knock?.card?.web ?? webOf(known)} onClose={onClose} />;
  }
  return <Choice knock={knock} point={point} known={known} onGiven={setGiven} onClose={onClose} />;
}

const webOf = (known: RelayAnswer | null): string | null =>
  known?.address ? `http://${known.address}/` : null;

function Choice({
  knock,
  point,
  known,
  onGiven,
  onClose,
}: {
  knock: Knock | null;
  point: ControlPoint | null;
  known: RelayAnswer | null;
  onGiven: (given: RelayGiven) => void;
  onClose: () => void;
}) {
  const words = relayWords();
  const adoption = adoptionWords();
  const naming = deviceWords();
  const shared = systemWords();
  const { fault, run } = useWork(adoptionWords().faults);
  const send = useSend();
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const [kind, setKind] = useState<RelayKind>(knock?.relay ?? known?.kind ?? 'tasmota');
  const own = points.find(({ id }) => id === knock?.entry?.control_point?.id);
  const [pointId, setPointId] = useState(point?.id ?? own?.id ?? '');
  const [cod, setCod] = useState(() => nextCode(points.map((row) => row.cod)));
  const [name, setName] = useState(knock?.name ?? '');
  const [load, setLoad] = useState<RelayAnswer['load']>(known?.load ?? 'contactor');
  const [extras, setExtras] = useState({
    ...NO_EXTRAS,
    channel: known?.channel ?? 1,
    carrierId: known?.carrier_id ?? '',
  });
  const title =
    known === null
      ? point === null && knock?.name != null
        ? adoption.adoptTitle(knock.name)
        : words.addTitle
      : words.againTitle(known.cod);
  const isReady = pointId !== '' || (cod.trim() !== '' && name.trim() !== '');

  const adopt = () =>
    run(async () => {
      let id = pointId;
      if (id === '') {
        const made = await send('/control-points/', {
          farm_id: farm.value?.id,
          cod: cod.trim(),
          device_id: name.trim(),
          target_status: 'OFF',
        });
        id = made.id;
        // what follows may be refused, and the point is there
        setPointId(id);
      }
      const input: RelayInput = {
        kind,
        load,
        channel: extras.channel,
        ...(extras.carrierId === '' ? {} : { carrier_id: extras.carrierId }),
        ...(knock?.card == null ? {} : { discovered_id: knock.card.id }),
        ...(extras.host.trim() === '' ? {} : { mqtt_host: extras.host.trim() }),
      };
      onGiven(await put(`/control-points/${id}/relay`, input));
      refresh('control-points', 'devices', 'adoption', 'relays');
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
          <WorkButton big look="main" unready={!isReady} work={adopt}>
            {words.adopt}
          </WorkButton>
        </>
      }
    >
      {knock?.card == null && known === null ? (
        <SelectField
          label={words.kind}
          value={kind}
          options={KINDS.map((value) => ({ value, label: words.kindOptions[value] }))}
          onChange={(event) => setKind(KINDS.find((value) => value === event.currentTarget.value) ?? kind)}
        />
      ) : null}
      {point === null ? (
        <SelectField
          label={adoption.point}
          value={pointId}
          options={[
            { value: '', label: adoption.newPoint },
            ...points.map((row) => ({ value: row.id, label: `${row.cod} · ${row.device_id}` })),
          ]}
          onChange={(event) => setPointId(event.currentTarget.value)}
        />
      ) : null}
      {pointId === '' ? (
        <>
          <TextField
            needed
            label={naming.code}
            hint={naming.codeHint}
            value={cod}
            maxLength={255}
            onInput={(event) => setCod(event.currentTarget.value)}
          />
          <TextField
            needed
            label={words.name}
            hint={words.nameHint}
            value={name}
            maxLength={64}
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </>
      ) : (
        <p class="muted small">{known === null ? words.shutsOut : words.newKey}</p>
      )}
      <SelectField
        label={words.load}
        hint={words.loadHint}
        value={load}
        options={[
          { value: 'contactor', label: words.loads.contactor },
          { value: 'motor', label: words.loads.motor },
        ]}
        onChange={(event) => setLoad(event.currentTarget.value === 'motor' ? 'motor' : 'contactor')}
      />
      <RelayExtras kind={kind} pointId={pointId} extras={extras} onChange={setExtras} />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

/** What a relay with one channel on the usual network needs nothing of. */
function RelayExtras({
  kind,
  pointId,
  extras,
  onChange,
}: {
  kind: RelayKind;
  pointId: string;
  extras: Extras;
  onChange: (extras: Extras) => void;
}) {
  const words = relayWords();
  const relays = useGet('/relays/', { farm_id: farm.value?.id });
  const carriers = (relays.data ?? []).filter(
    (row) => row.kind === kind && row.carrier_id === null && row.control_point_id !== pointId,
  );
  const isUsual = extras.channel === 1 && extras.carrierId === '';
  return (
    <details open={!isUsual}>
      <summary>{words.more}</summary>
      <div class="stack">
        <SelectField
          label={words.channel}
          hint={words.channelHint}
          value={String(extras.channel)}
          options={Array.from({ length: MOST_CHANNELS }, (_, index) => ({
            value: String(index + 1),
            label: String(index + 1),
          }))}
          onChange={(event) => onChange({ ...extras, channel: Number(event.currentTarget.value) })}
        />
        {relays.data === undefined ? (
          <Awaited of={[relays]} />
        ) : carriers.length === 0 ? null : (
          <SelectField
            label={words.carrier}
            value={extras.carrierId}
            options={[
              { value: '', label: words.ownRelay },
              ...carriers.map((row) => ({ value: row.control_point_id, label: words.ofOther(row.cod) })),
            ]}
            onChange={(event) => onChange({ ...extras, carrierId: event.currentTarget.value })}
          />
        )}
        <TextField
          label={words.host}
          hint={words.hostHint}
          value={extras.host}
          maxLength={64}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange({ ...extras, host: event.currentTarget.value })}
        />
      </div>
    </details>
  );
}
