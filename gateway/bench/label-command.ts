import { writeFile } from 'node:fs/promises';
import { inBoth, verbatim } from '#core/both-languages.ts';
import type { Language } from '#core/notifying.ts';
import type { Terminal } from './command.ts';
import { type BenchCommand, text, textOf, type Values } from './command.ts';
import { type Label, labelPage, labelPayload, labelSheets, labelSvg, labelText } from './label-sheet.ts';
import { badInput, GATEWAY_HELP, GATEWAY_OPTIONS, openGateway } from './provision-gateway.ts';
import { needed, pointNamed } from './provision-options.ts';

const FORMATS = ['html', 'svg', 'sheet', 'text'] as const;

export const LABEL_COMMAND: BenchCommand = {
  summary: 'labels with QR code, for printing',
  help: `  --points A,B,C     codes, device ids or ids of control points
  --format F         html (A4 sheets of 24, 70 × 37 mm), sheet (the same as SVG), svg (one label), text [html]
  --to FILE          where to; text may go to the screen
${GATEWAY_HELP}
  --device-id D --claim C   instead of a gateway: a label of your own
`,
  options: { points: text, format: text, to: text, 'device-id': text, claim: text, ...GATEWAY_OPTIONS },
  async run(values, terminal) {
    const format = FORMATS.find((one) => one === (textOf(values, 'format') ?? 'html'));
    if (format === undefined)
      throw badInput(
        inBoth(`--format é um de ${FORMATS.join(', ')}`, `--format is one of ${FORMATS.join(', ')}`),
        inBoth('corrija e comece de novo', 'correct it and start again'),
      );
    const labels = await labelsOf(values, terminal);
    const drawn = drawing(format, labels, terminal.language);
    const file = format === 'text' ? textOf(values, 'to') : needed(values, 'to');
    if (file !== undefined) await writeFile(file, drawn);
    const value = {
      labels: labels.map((label) => ({ ...label, qr: labelPayload(label) })),
      file: file ?? null,
    };
    const sentence =
      file === undefined
        ? verbatim(drawn)
        : inBoth(`${labels.length} etiquetas em ${file}`, `${labels.length} labels in ${file}`);
    return { sentence, value };
  },
};

async function labelsOf(values: Values, terminal: Terminal): Promise<Label[]> {
  const device = textOf(values, 'device-id');
  if (device !== undefined) {
    const claim = needed(values, 'claim');
    if (!/^[0-9A-Z]{12,64}$/.test(claim))
      throw badInput(
        inBoth('--claim tem de 12 a 64 maiúsculas e dígitos', '--claim has 12 to 64 capitals and digits'),
        inBoth('corrija', 'correct it'),
      );
    return [{ device_id: device, claim, code: null, farm: null, ponds: [] }];
  }
  const gateway = await openGateway(values, terminal);
  const all = await gateway.points();
  const points = needed(values, 'points')
    .split(',')
    .map((name) => pointNamed(all, name.trim()));
  return gateway.labels(points.map(({ id }) => id));
}

function drawing(format: (typeof FORMATS)[number], labels: readonly Label[], language: Language): string {
  switch (format) {
    case 'html':
      return labelPage(labels, language);
    case 'sheet':
      if (labels.length > 24)
        throw badInput(
          inBoth('uma folha tem 24 etiquetas', 'a sheet holds 24 labels'),
          inBoth('diga --format html para mais', 'say --format html for more'),
        );
      return labelSheets(labels).join('');
    case 'svg': {
      const [label] = labels;
      if (label === undefined || labels.length > 1)
        throw badInput(
          inBoth('--format svg é uma etiqueta', '--format svg is one label'),
          inBoth('diga um dos --points', 'say one of --points'),
        );
      return labelSvg(label);
    }
    case 'text':
      return labels.map(labelText).join('\n');
  }
}
