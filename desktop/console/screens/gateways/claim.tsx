import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type * as z from 'zod';
import type { claimPreview } from '#contract/resources/gateways.ts';
import { gatewayWords } from '#words/cloud.ts';
import { Answer, Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { clockTime } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Preview = z.infer<typeof claimPreview>;

/** The address that a gateway shows with its code: what is behind it, and whether it is to join this account. */
export function Claim() {
  const words = gatewayWords();
  const [, go] = useLocation();
  const code = new URLSearchParams(useSearch()).get('code')?.trim() ?? '';
  return (
    <SystemPage title={words.claimTitle} narrow>
      {!isHosted.value ? (
        <p class="note">
          <span class="grow">{words.notHere}</span>
          <Link class="button" href="/sistema/sincronia">
            {words.toSync}
          </Link>
        </p>
      ) : user.value !== null && user.value.role !== 'OWNER' ? (
        <p class="note">{words.onlyOwner}</p>
      ) : code === '' ? (
        <AskCode onCode={(typed) => go(`/pair?code=${encodeURIComponent(typed)}`)} />
      ) : (
        <Look code={code} onOther={() => go('/pair')} onDone={() => go('/sistema/gateways')} />
      )}
    </SystemPage>
  );
}

/** The same within another screen: the code is typed and looked at in one place. */
export function PairBox({ first, onDone }: { first: string; onDone: () => void }) {
  const [code, setCode] = useState(first);
  return code === '' ? (
    <AskCode onCode={setCode} />
  ) : (
    <Look code={code} onOther={() => setCode('')} onDone={onDone} />
  );
}

function AskCode({ onCode }: { onCode: (code: string) => void }) {
  const words = gatewayWords();
  const [typed, setTyped] = useState('');
  return (
    <form
      noValidate
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') onCode(typed.trim());
      }}
    >
      <TextField
        needed
        label={words.code}
        hint={words.codeHint}
        value={typed}
        autoComplete="off"
        autoCapitalize="characters"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" look="main" unready={typed.trim() === ''}>
          {words.find}
        </Button>
      </div>
    </form>
  );
}

type Ends = { onOther: () => void; onDone: () => void };

function Look({ code, onOther, onDone }: { code: string } & Ends) {
  const words = gatewayWords();
  const preview = useGet('/sync/claims', { user_code: code });
  const isUnknown = preview.error instanceof ApiError && preview.error.status === 404;
  return (
    <>
      {isUnknown ? (
        <p class="note p2" role="alert">
          {words.unknownCode(code)}
        </p>
      ) : (
        <Answer of={preview}>
          {(told) => <Decide key={told.gateway_id} told={told} code={code} onDone={onDone} />}
        </Answer>
      )}
      {preview.isError ? (
        <div>
          <Button onClick={onOther}>{words.code}</Button>
        </div>
      ) : null}
    </>
  );
}

function Decide({ told, code, onDone }: { told: Preview; code: string; onDone: () => void }) {
  const words = gatewayWords();
  const { fault, run } = useWork();
  const gateways = useGet('/sync/gateways');
  const [name, setName] = useState(told.name);
  const [before, setBefore] = useState('');
  const others = gateways.data?.filter(({ id }) => id !== told.gateway_id);
  const take = () =>
    run(async () => {
      await post('/sync/claims', {
        user_code: code,
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(before === '' ? {} : { in_place_of: before }),
      });
      refresh('sync', 'farms');
      toast(words.taken(name.trim() || told.name));
      onDone();
    });
  return (
    <section class="card stack" data-claim={told.gateway_id}>
      <h2>{words.what}</h2>
      <p class="big-code mono">{code.toUpperCase()}</p>
      <p>{words.compare}</p>
      <dl class="facts">
        <Fact name={words.name} value={told.name} />
        <Fact name={words.hardware} value={told.hardware} />
        <Fact name={words.software} value={told.software} />
        <Fact name={words.codeUntil} value={clockTime(told.expires_at)} />
      </dl>
      {told.is_known ? <p class="note">{words.known}</p> : null}
      <TextField
        label={words.nameHere}
        value={name}
        autoComplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {others === undefined ? (
        <Awaited of={[gateways]} />
      ) : others.length === 0 ? null : (
        <SelectField
          label={words.inPlaceOf}
          hint={words.inPlaceOfHint}
          value={before}
          options={[
            { value: '', label: words.nobody },
            ...others.map((other) => ({ value: other.id, label: other.name })),
          ]}
          onChange={(event) => setBefore(event.currentTarget.value)}
        />
      )}
      <FaultNote fault={fault} />
      <div class="row">
        <WorkButton look="main" big disabled={isBlind.value} unready={others === undefined} work={take}>
          {words.take}
        </WorkButton>
        <Button
          big
          onClick={() => {
            toast(words.refused);
            onDone();
          }}
        >
          {words.refuse}
        </Button>
      </div>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breaks">{value}</dd>
    </div>
  );
}
