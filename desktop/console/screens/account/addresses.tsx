import { useState } from 'preact/hooks';
import type { AddressAnswer } from '#contract/resources/addresses.ts';
import { BRAZILIAN_STATES } from '#contract/words.ts';
import { addressWords } from '#words/registers.ts';
import { systemWords } from '#words/system.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { CountField, useCount } from '../../components/figure-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { del, get, put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Open = { address: AddressAnswer | null; is: 'edit' | 'remove' };

/** Addresses of the account, one of them the primary one. */
export function Addresses() {
  const w = addressWords();
  const known = useGet('/addresses/', { limit: 100 });
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <section class="card stack" data-addresses>
      <div class="row apart">
        <h2>{w.title}</h2>
        <Button disabled={isBlind.value} onClick={() => setOpen({ address: null, is: 'edit' })}>
          {w.add}
        </Button>
      </div>
      <p class="muted">{w.text}</p>
      <Answer of={known} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{w.none}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((address) => (
              <li key={address.id} class="row apart">
                <span>
                  <strong>
                    {address.street}, {address.number}
                  </strong>{' '}
                  {address.is_primary ? <span class="chip">{w.primary}</span> : null}
                  <br />
                  <span class="muted small">
                    {[address.complement, `${address.city} – ${address.state}`, address.zip_code]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </span>
                <span class="row nowrap">
                  <Button
                    look="quiet"
                    aria-label={w.edit(address.street)}
                    onClick={() => setOpen({ address, is: 'edit' })}
                  >
                    <Icon name="edit" size={18} />
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={w.remove(address.street)}
                    onClick={() => setOpen({ address, is: 'remove' })}
                  >
                    <Icon name="trash" size={18} />
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {open?.is === 'edit' ? <AddressDialog address={open.address} onClose={close} /> : null}
      {open?.is === 'remove' && open.address !== null ? (
        <Removal address={open.address} onClose={close} />
      ) : null}
    </section>
  );
}

const ZIP = /^\s*\d{5}-?\d{3}\s*$/;

function AddressDialog({ address, onClose }: { address: AddressAnswer | null; onClose: () => void }) {
  const w = addressWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const send = useSend();
  const [street, setStreet] = useState(address?.street ?? '');
  const number = useCount(address === null ? '' : String(address.number), { mayBeZero: true });
  const [complement, setComplement] = useState(address?.complement ?? '');
  const [city, setCity] = useState(address?.city ?? '');
  const [state, setState] = useState<string>(address?.state ?? 'CE');
  const [zip, setZip] = useState(address?.zip_code ?? '');
  const [isPrimary, setPrimary] = useState(address?.is_primary ?? false);
  const isZip = ZIP.test(zip);
  const rewritten = useRewritten(address, () => get(`/addresses/${address?.id ?? ''}`));
  const save = async () => {
    const said = {
      street: street.trim(),
      number: number.value,
      complement: complement.trim() === '' ? null : complement.trim(),
      city: city.trim(),
      state,
      zip_code: zip.trim(),
      is_primary: isPrimary,
    };
    if (!(await rewritten.mayOverwrite(said))) return;
    const isDone = await run(async () => {
      if (address === null) await send('/addresses/', said);
      else await put(`/addresses/${address.id}`, rewritten.changesOf(said));
      refresh('addresses', 'users');
    }, shared.saved);
    if (isDone) onClose();
  };
  const labels: Readonly<Record<string, string>> = {
    street: w.street,
    number: w.number,
    complement: w.complement,
    city: w.city,
    state: w.state,
    zip_code: w.zip,
    is_primary: w.primary,
  };
  return (
    <Dialog
      title={address === null ? w.add : w.edit(address.street)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <WorkButton
            look="main"
            disabled={isBlind.value}
            unready={street.trim() === '' || city.trim() === '' || !number.isRight || !isZip}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <div class="form-grid">
        <TextField
          needed
          label={w.street}
          value={street}
          maxLength={255}
          onInput={(event) => setStreet(event.currentTarget.value)}
        />
        <CountField label={w.number} count={number} />
        <TextField
          label={w.complement}
          value={complement}
          maxLength={255}
          onInput={(event) => setComplement(event.currentTarget.value)}
        />
        <TextField
          needed
          label={w.city}
          value={city}
          maxLength={255}
          onInput={(event) => setCity(event.currentTarget.value)}
        />
        <SelectField
          label={w.state}
          value={state}
          options={BRAZILIAN_STATES.map((value) => ({ value, label: value }))}
          onChange={(event) => setState(event.currentTarget.value)}
        />
        <TextField
          needed
          label={w.zip}
          value={zip}
          inputMode="numeric"
          maxLength={9}
          fault={zip === '' || isZip ? null : w.zipBad}
          onInput={(event) => setZip(event.currentTarget.value)}
        />
      </div>
      <CheckField
        label={w.primary}
        checked={isPrimary}
        onChange={(event) => setPrimary(event.currentTarget.checked)}
      />
      <ElsewhereNote of={rewritten.elsewhere} label={(name) => labels[name] ?? name} />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

function Removal({ address, onClose }: { address: AddressAnswer; onClose: () => void }) {
  const w = addressWords();
  return (
    <ConfirmDialog
      title={w.remove(address.street)}
      label={systemWords().remove}
      isReady={!isBlind.value}
      work={async () => {
        await del(`/addresses/${address.id}`);
        refresh('addresses', 'users');
      }}
      onClose={onClose}
    >
      <p>{w.removeText}</p>
    </ConfirmDialog>
  );
}
