import { useState } from 'preact/hooks';
import type { z } from 'zod';
import type { RelayAnswer, relayAdopted } from '#contract/resources/relays.ts';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { useGet } from '../../data/query.ts';
import { adoptionWords } from './adoption-words.ts';

import { relayWords } from './relay-words.ts';

export type RelayGiven = z.infer<typeof relayAdopted>;

/** Stands in the lines where the gateway does not know the address of the relay. */
const NO_ADDRESS = 'RELAY-ADDRESS';
/** An address or a name, nothing that would lead elsewhere. */
const ADDRESS = /^[A-Za-z0-9.-]+$/;

/** What goes into the relay, and whether it came in with it. */
export function RelaySettingsDialog({
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
  const told = useGet<{ relay: RelayAnswer | null }>(`/control-points/${controlPointId}/relay`);
  const relay = told.data?.relay ?? null;
  const isHere = relay !== null && relay.is_connected;
  return (
    <p role="status" data-relay={isHere ? (relay.is_listening ? 'listens' : 'here') : 'away'}>
      <strong>{!isHere ? words.awaits : relay.is_listening ? words.came : words.cameDeaf}</strong>
    </p>
  );
}
