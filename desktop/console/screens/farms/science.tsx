import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ScienceSettingsAnswer } from '#contract/resources/science.ts';
import { scienceWords } from '#words/science.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, DecimalField, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { get, put } from '../../data/api.ts';
import { farm, mayManage } from '../../data/farm-store.ts';
import { useInAddress } from '../../data/in-address.ts';
import { isBlind } from '../../data/live.ts';
import { queries, refresh, useGet } from '../../data/query.ts';
import { asTyped, readDecimal } from '../../i18n/format.ts';
import { type Figure, figuresOf, patchOf } from '../../state/science-figures.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Section = keyof ReturnType<typeof scienceWords>['sections'];

/** Every figure that the farm may tune, by what it changes; the value of the farm beside the default. */
export function ScienceSettings() {
  const w = scienceWords();
  const shown = farm.value;
  const path = shown === null ? null : (`/farms/${shown.id}/science` as const);
  const settings = useGet(path);
  return (
    <SystemPage title={w.title}>
      <Link class="way" href="/sistema/fazenda">
        {w.back}
      </Link>
      {mayManage.value ? null : <p class="note">{systemWords().noRight}</p>}
      {path === null ? (
        <Empty text={w.none} />
      ) : (
        <Answer of={settings}>{(told) => <Figures told={told} path={path} />}</Answer>
      )}
    </SystemPage>
  );
}

function Figures({ told, path }: { told: ScienceSettingsAnswer; path: `/farms/${string}/science` }) {
  const w = scienceWords();
  const [text, setText] = useInAddress('busca');
  const [own, keepOwn] = useInAddress('proprios');
  const isOwnOnly = own === 'sim';
  const [open, setOpen] = useState<Figure | null>(null);
  const wanted = text.trim().toLowerCase();
  const all = figuresOf(told);
  const names: Readonly<Record<string, string>> = w.sections;
  const found = all.filter(
    ({ name, section, isOwn }) =>
      (!isOwnOnly || isOwn) &&
      (wanted === '' || `${name} ${names[section] ?? section}`.toLowerCase().includes(wanted)),
  );
  const sections = [...new Set(found.map(({ section }) => section))];
  return (
    <>
      <div class="form-grid no-print">
        <input
          class="input find"
          type="search"
          aria-label={w.filter}
          placeholder={w.filter}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <CheckField
          label={w.onlyOwn}
          checked={isOwnOnly}
          onChange={(event) => keepOwn(event.currentTarget.checked ? 'sim' : '')}
        />
      </div>
      {found.length === 0 ? <p class="muted">{w.none}</p> : null}
      {sections.map((section) => (
        <details key={section} class="card" open={wanted !== '' || isOwnOnly} data-section={section}>
          <summary>
            <h2 class="inline">{names[section] ?? section}</h2>
          </summary>
          <p class="muted">{(w.changes as Readonly<Record<string, string>>)[section] ?? ''}</p>
          <ul class="lines">
            {found
              .filter((figure) => figure.section === section)
              .map((figure) => (
                <Line key={figure.name} figure={figure} onOpen={() => setOpen(figure)} />
              ))}
          </ul>
        </details>
      ))}
      {open === null ? null : <FigureDialog figure={open} path={path} onClose={() => setOpen(null)} />}
    </>
  );
}

const valueText = (value: Figure['value'], unit: string): string =>
  `${typeof value === 'number' ? asTyped(value) : String(value)} ${unitText(unit)}`.trim();

/** Names of units are told in the reader's language, signs as they are. */
const unitText = (unit: string): string => scienceWords().units[unit] ?? unit;

function Line({ figure, onOpen }: { figure: Figure; onOpen: () => void }) {
  const w = scienceWords();
  return (
    <li class="row apart" data-figure={`${figure.section}.${figure.name}`}>
      <span class="mono science-name">{figure.name}</span>
      <span class="row nowrap">
        <span>
          {figure.isList ? (
            <span class="muted">{w.list}</span>
          ) : (
            <strong>{valueText(figure.value, figure.unit)}</strong>
          )}
          {figure.isOwn ? (
            <span class="muted small">
              {' '}
              · {w.own}
              {figure.isList ? '' : ` · ${w.standard(valueText(figure.standard, figure.unit))}`}
            </span>
          ) : null}
        </span>
        {figure.isList || !mayManage.value ? null : (
          <Button look="quiet" aria-label={w.edit(figure.name)} onClick={onOpen}>
            <Icon name="edit" size={18} />
          </Button>
        )}
      </span>
    </li>
  );
}

function FigureDialog({
  figure,
  path,
  onClose,
}: {
  figure: Figure;
  path: `/farms/${string}/science`;
  onClose: () => void;
}) {
  const w = scienceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [text, setText] = useState(
    typeof figure.value === 'number' ? asTyped(figure.value) : String(figure.value),
  );
  const { min = null, max = null } = figure;
  const value = figure.words === null ? readDecimal(text) : text;
  const isRight =
    typeof value === 'string' ||
    (value !== null &&
      !Number.isNaN(value) &&
      value >= (min ?? Number.NEGATIVE_INFINITY) &&
      value <= (max ?? Number.POSITIVE_INFINITY));
  const rewritten = useRewritten({ value: figure.value }, async () => {
    const own = figuresOf(await get(path)).find(
      ({ section, name }) => section === figure.section && name === figure.name,
    );
    return own && { value: own.value };
  });
  const send = async (wanted: Figure['value'] | null) => {
    if (!(await rewritten.mayOverwrite({ value: wanted ?? figure.standard }))) return;
    const isDone = await run(async () => {
      const kept = await put(path, patchOf(figure, wanted));
      queries.setQueryData(['farms', path, {}], kept);
      refresh('ponds', 'batches', 'water-quality', 'dashboard', 'feeding');
    }, w.saved);
    if (isDone) onClose();
  };
  const section: string = (w.sections as Readonly<Record<string, string>>)[figure.section] ?? figure.section;
  const changes = w.changes[figure.section as Section];
  return (
    <Dialog
      title={`${section}: ${figure.name}`}
      onClose={onClose}
      actions={
        <>
          {figure.isOwn ? (
            <WorkButton disabled={isBlind.value} work={() => send(null)}>
              {w.reset}
            </WorkButton>
          ) : null}
          <span class="grow" />
          <Button onClick={onClose}>{shared.cancel}</Button>
          <WorkButton
            look="main"
            disabled={isBlind.value}
            unready={!isRight}
            work={() => send(value as Figure['value'])}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <p class="muted">{changes}</p>
      {figure.words === null ? (
        <DecimalField
          label={figure.name}
          {...(figure.unit === '' ? {} : { unit: unitText(figure.unit) })}
          hint={[
            min === null || max === null ? null : w.range(asTyped(min), asTyped(max)),
            w.standard(valueText(figure.standard, figure.unit)),
          ]
            .filter(Boolean)
            .join(' · ')}
          value={text}
          fault={isRight || min === null || max === null ? null : w.bad(asTyped(min), asTyped(max))}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <SelectField
          label={figure.name}
          value={text}
          options={figure.words.map((word) => ({ value: word, label: word }))}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ElsewhereNote of={rewritten.elsewhere} label={() => figure.name} />
      <FaultNote fault={fault} />
    </Dialog>
  );
}
