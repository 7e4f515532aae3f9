import { type InBoth, inBoth } from '#core/both-languages.ts';

/** The Portuguese for what a schema found wrong, by the kind of it; the English stands in the schema. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_type: 'falta, ou é de outro tipo',
  invalid_value: 'não é um dos valores aceitos',
  invalid_union: 'não é nenhuma das formas aceitas',
  invalid_format: 'não tem a forma que deve ter',
  not_multiple_of: 'não é um dos valores aceitos',
  too_small: 'é curto ou pequeno demais',
  too_big: 'é longo ou grande demais',
  unrecognized_keys: 'tem um campo que não se conhece',
};

/** Why a field does not fit, for people. */
export function schemaWords(issue: { code?: string; message: string } | undefined): InBoth {
  if (issue === undefined) return inBoth('não se entende', 'not understood');
  return inBoth(WORDS[issue.code ?? ''] ?? 'não serve', issue.message);
}
