import { useState } from 'preact/hooks';
import type { ProbeBusAnswer, ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { busWords } from '#words/probes.ts';
import { systemWords } from '#words/system.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { get, put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const KINDS = ['serial', 'tcp', 'rtu_over_tcp'] as const;
const PARITIES = ['none', 'even', 'odd'] as const;
const RATES = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200] as const;
const NEW = {
  kind: 'serial',
  device: null,
  baud: 9600,
  parity: 'none',
  stop_bits: 1,
  host: null,
  port: 502,
  is_enabled: true,
} as const satisfies Line;
const TYPED = '';

/** A new line of probes, or another way to reach one. */
export function BusDialog({
  bus,
  farmId,
  count,
  profiles,
  onClose,
}: {
  bus: ProbeBusAnswer | null;
  farmId: string;
  count: number;
  profiles: readonly ProbeProfileAnswer[];
  onClose: () => void;
}) {
  const words = busWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const send = useSend();
  const [name, setName] = useState(bus?.name ?? words.newName(count + 1));
  const [line, setLine] = useState<Line>(bus ?? NEW);
  const [port, setPort] = useState(String(line.port));
  const tcpPort = readCount(port);
  const isSerial = line.kind === 'serial';
  const isPortRight = tcpPort !== null && tcpPort >= 1 && tcpPort <= 65_535;
  const isPlaced = isSerial
    ? (line.device ?? '').trim() !== ''
    : (line.host ?? '').trim() !== '' && isPortRight;
  const change = (to: Partial<Line>) => setLine({ ...line, ...to });
  const rewritten = useRewritten(bus, () => get(`/probe-buses/${bus?.id ?? ''}`));
  const save = async () => {
    const { kind, device, baud, parity, stop_bits, host, is_enabled } = line;
    const wanted = {
      name: name.trim(),
      kind,
      device: isSerial ? (device ?? '').trim() : null,
      host: isSerial ? null : (host ?? '').trim(),
      baud,
      parity,
      stop_bits,
      ...(isPortRight ? { port: tcpPort } : {}),
      is_enabled,
    };
    if (!(await rewritten.mayOverwrite(wanted))) return;
    const isDone = await run(async () => {
      await (bus === null
        ? send('/probe-buses/', { farm_id: farmId, ...wanted })
        : put(`/probe-buses/${bus.id}`, rewritten.changesOf(wanted)));
      refresh('probe-buses', 'probes');
    }, words.saved);
    if (isDone) onClose();
  };
  const labels: Readonly<Record<string, string>> = {
    name: words.name,
    kind: words.kind,
    device: words.port,
    host: words.host,
    port: words.tcpPort,
    baud: words.baud,
    parity: words.parity,
    stop_bits: words.stopBits,
    is_enabled: words.enabled,
  };
  return (
    <Dialog
      title={bus === null ? words.add : bus.name}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={name.trim() === '' || !isPlaced}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.name}
        value={name}
        maxLength={255}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        label={words.kind}
        value={line.kind}
        options={KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] }))}
        onChange={({ currentTarget: { value } }) =>
          change({ kind: KINDS.find((kind) => kind === value) ?? line.kind })
        }
      />
      {isSerial ? (
        <SerialPort device={line.device} onChange={(device) => change({ device })} />
      ) : (
        <div class="form-grid">
          <TextField
            label={words.host}
            value={line.host ?? ''}
            placeholder="192.168.1.50"
            maxLength={255}
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => change({ host: event.currentTarget.value })}
          />
          <DecimalField
            label={words.tcpPort}
            inputMode="numeric"
            value={port}
            fault={isPortRight ? null : words.badTcpPort}
            onInput={(event) => setPort(event.currentTarget.value)}
          />
        </div>
      )}
      {isSerial ? <Speed line={line} profiles={profiles} onChange={change} /> : null}
      {bus === null ? null : (
        <CheckField
          label={words.enabled}
          checked={line.is_enabled}
          onChange={(event) => change({ is_enabled: event.currentTarget.checked })}
        />
      )}
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(field) => labels[field] ?? field}
        shown={(field, text) =>
          field === 'kind' ? words.kinds[KINDS.find((kind) => kind === text) ?? 'serial'] : text
        }
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

type Line = Pick<
  ProbeBusAnswer,
  'kind' | 'device' | 'baud' | 'parity' | 'stop_bits' | 'host' | 'port' | 'is_enabled'
>;

/** The ports the box sees, and one that only a person knows of. */
function SerialPort({ device, onChange }: { device: string | null; onChange: (device: string) => void }) {
  const words = busWords();
  const asked = useGet('/bench/ports');
  const ports = asked.data ?? [];
  const [isTyped, setTyped] = useState(false);
  const paths = ports.map(({ path }) => path);
  const isSeen = device !== null && paths.includes(device);
  const chosen = isTyped || !isSeen ? TYPED : device;
  return (
    <>
      {asked.data === undefined ? (
        <Awaited of={[asked]} />
      ) : paths.length === 0 ? (
        <p class="muted small">{words.noPorts}</p>
      ) : (
        <SelectField
          label={words.port}
          value={chosen}
          options={[
            ...ports.map(({ path, product }) => ({
              value: path,
              label: product === null ? path : `${path} · ${product}`,
            })),
            { value: TYPED, label: words.otherPort },
          ]}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value === TYPED);
            if (value !== TYPED) onChange(value);
          }}
        />
      )}
      {chosen === TYPED ? (
        <TextField
          label={words.typedPort}
          value={device ?? ''}
          placeholder="/dev/ttyUSB0"
          maxLength={255}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : null}
    </>
  );
}

/** How fast the line speaks; a model of probe knows it. */
function Speed({
  line,
  profiles,
  onChange,
}: {
  line: Line;
  profiles: readonly ProbeProfileAnswer[];
  onChange: (to: Partial<Line>) => void;
}) {
  const words = busWords();
  const delivered = profiles.filter(({ serial }) => serial !== null);
  return (
    <>
      <SelectField
        label={words.asDelivered}
        value=""
        options={[
          { value: '', label: words.choose },
          ...delivered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          const serial = delivered.find(({ id }) => id === value)?.serial;
          if (serial) onChange({ baud: serial.baud, parity: serial.parity });
        }}
      />
      <div class="form-grid">
        <SelectField
          label={words.baud}
          value={String(line.baud)}
          options={RATES.map((rate) => ({ value: String(rate), label: String(rate) }))}
          onChange={(event) => onChange({ baud: Number(event.currentTarget.value) })}
        />
        <SelectField
          label={words.parity}
          value={line.parity}
          options={PARITIES.map((parity) => ({ value: parity, label: words.parities[parity] }))}
          onChange={({ currentTarget: { value } }) =>
            onChange({ parity: PARITIES.find((parity) => parity === value) ?? line.parity })
          }
        />
        <SelectField
          label={words.stopBits}
          value={String(line.stop_bits)}
          options={['1', '2'].map((bits) => ({ value: bits, label: bits }))}
          onChange={(event) => onChange({ stop_bits: Number(event.currentTarget.value) })}
        />
      </div>
    </>
  );
}
