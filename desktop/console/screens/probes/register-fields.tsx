import type { ProbeParameter, ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { probeWords, profileWords } from '#words/probes.ts';
import { Button } from '../../components/button.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { asTyped, readCount, readDecimal } from '../../i18n/format.ts';

type Register = ProbeProfileAnswer['registers'][number];
const FIGURES = ['address', 'scale', 'offset', 'min', 'max', 'not_measured'] as const;
type FigureName = (typeof FIGURES)[number];

/** A register as it is typed: figures are text until it is saved. */
export type TypedRegister = Pick<Register, 'parameter' | 'function_code' | 'type' | 'word_order'> &
  Record<FigureName, string>;

const PARAMETERS = [
  'dissolved_oxygen',
  'oxygen_saturation',
  'temperature',
  'ph',
  'salinity',
  'conductivity',
  'alkalinity',
  'ammonia',
  'nitrite',
  'nitrate',
  'transparency',
] as const satisfies readonly ProbeParameter[];
const TYPES = ['i16', 'u16', 'i32', 'u32', 'f32'] as const;
const ORDERS = ['1234', '2143', '3412', '4321'] as const;
const LAST_ADDRESS = 65_534;

export const NEW_REGISTER: TypedRegister = {
  parameter: 'dissolved_oxygen',
  function_code: 3,
  type: 'i16',
  word_order: '1234',
  address: '0',
  scale: '1',
  offset: '0',
  min: '',
  max: '',
  not_measured: '',
};

export const typedOf = (register: Register): TypedRegister => ({
  parameter: register.parameter,
  function_code: register.function_code,
  type: register.type,
  word_order: register.word_order,
  address: String(register.address),
  scale: asTyped(register.scale),
  offset: asTyped(register.offset),
  min: asTyped(register.min),
  max: asTyped(register.max),
  not_measured: register.not_measured.map(asTyped).join(' '),
});

const absentIn = (text: string): (number | null)[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(readDecimal);

export function registerOf({ parameter, function_code, type, word_order, ...typed }: TypedRegister) {
  return {
    parameter,
    function_code,
    type,
    word_order,
    address: readCount(typed.address),
    scale: readDecimal(typed.scale) ?? 1,
    offset: readDecimal(typed.offset) ?? 0,
    min: readDecimal(typed.min),
    max: readDecimal(typed.max),
    not_measured: absentIn(typed.not_measured),
  };
}

/** What is wrong with it, by field. */
export function faultsIn(typed: TypedRegister): Partial<Record<FigureName, string>> {
  const words = profileWords();
  const { address, scale, offset, min, max, not_measured } = registerOf(typed);
  const isFigure = (value: number | null) => value === null || Number.isFinite(value);
  return {
    ...(address !== null && address >= 0 && address <= LAST_ADDRESS ? {} : { address: words.badAddress }),
    ...(isFigure(scale) && scale !== 0 ? {} : { scale: words.badFigure }),
    ...(isFigure(offset) ? {} : { offset: words.badFigure }),
    ...(isFigure(min) ? {} : { min: words.badFigure }),
    ...(isFigure(max)
      ? min !== null && max !== null && min >= max
        ? { max: words.badRange }
        : {}
      : { max: words.badFigure }),
    ...(not_measured.every((value) => value !== null && isFigure(value)) && not_measured.length <= 8
      ? {}
      : { not_measured: words.badFigure }),
  };
}

export function RegisterFields({
  label,
  register,
  onChange,
  onDrop,
}: {
  label: string;
  register: TypedRegister;
  onChange: (next: TypedRegister) => void;
  /** null: it is the only one. */
  onDrop: (() => void) | null;
}) {
  const words = profileWords();
  const faults = faultsIn(register);
  const field = (name: FigureName, text: string, hint?: string) => (
    <DecimalField
      label={text}
      hint={hint}
      inputMode={name === 'address' ? 'numeric' : 'decimal'}
      value={register[name]}
      fault={faults[name] ?? null}
      onInput={(event) => onChange({ ...register, [name]: event.currentTarget.value })}
    />
  );
  return (
    <fieldset class="plain-set">
      <legend>{label}</legend>
      <div class="form-grid">
        <SelectField
          label={words.what}
          value={register.parameter}
          options={PARAMETERS.map((parameter) => ({
            value: parameter,
            label: probeWords().parameter[parameter],
          }))}
          onChange={({ currentTarget: { value } }) =>
            onChange({
              ...register,
              parameter: PARAMETERS.find((one) => one === value) ?? register.parameter,
            })
          }
        />
        <SelectField
          label={words.table}
          value={String(register.function_code)}
          options={(['3', '4'] as const).map((code) => ({ value: code, label: words.tables[code] }))}
          onChange={(event) => onChange({ ...register, function_code: Number(event.currentTarget.value) })}
        />
        {field('address', words.address, words.addressHint)}
        <SelectField
          label={words.type}
          value={register.type}
          options={TYPES.map((type) => ({ value: type, label: type }))}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...register, type: TYPES.find((one) => one === value) ?? register.type })
          }
        />
        {register.type.endsWith('16') ? null : (
          <SelectField
            label={words.order}
            value={register.word_order}
            options={ORDERS.map((order) => ({ value: order, label: order }))}
            onChange={({ currentTarget: { value } }) =>
              onChange({
                ...register,
                word_order: ORDERS.find((one) => one === value) ?? register.word_order,
              })
            }
          />
        )}
        {field('scale', words.scale)}
        {field('offset', words.offset)}
        {field('min', words.min)}
        {field('max', words.max)}
        <TextField
          label={words.absent}
          hint={words.absentHint}
          value={register.not_measured}
          maxLength={120}
          fault={faults.not_measured ?? null}
          onInput={(event) => onChange({ ...register, not_measured: event.currentTarget.value })}
        />
      </div>
      {onDrop === null ? null : <Button onClick={onDrop}>{words.dropRegister}</Button>}
    </fieldset>
  );
}
