import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { type Label, labelPage, labelSheets, labelSvg, labelText } from '../../gateway/bench/label-sheet.ts';

const label: Label = {
  device_id: 'aer-07',
  claim: '7XJ4Q2M9KD3FHT5W',
  code: 'CP-7',
  farm: 'Sítio <Norte> & Filhos',
  ponds: ['V-01', 'V-02'],
};

describe('a label', () => {
  it('shows the very modules of the QR code', () => {
    const { data, size } = encode('SF1:aer-07:7XJ4Q2M9KD3FHT5W', { ecc: 'M', border: 0 });
    const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
    const [, path = ''] = /d="([^"]+)"/.exec(labelSvg(label)) ?? [];
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
      drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
    expect(drawn).toEqual(data);
  });

  it('carries names of people as text, never as markup', () => {
    expect(labelSvg(label)).toContain('Sítio &lt;Norte&gt; &amp; Filhos');
    expect(labelPage([{ ...label, code: '</text><script>' }], 'en')).not.toMatch(/<script/);
    expect(labelPage([label], 'pt-BR')).toContain('<title>Controladores</title>');
  });

  it('stands 24 on a sheet, and as text for a plain printer', () => {
    const sheets = labelSheets(Array.from({ length: 25 }, () => label));
    expect(sheets.map((sheet) => sheet.split('<path').length - 1)).toEqual([24, 1]);
    expect(labelText(label)).toBe(
      'CP-7\nid aer-07\nclaim 7XJ4-Q2M9-KD3F-HT5W\nSítio <Norte> & Filhos\nV-01, V-02\nSF1:aer-07:7XJ4Q2M9KD3FHT5W\n',
    );
  });

  it('of a board that has another one says who it is, and no code', () => {
    const bare = { ...label, claim: null };
    expect(labelSvg(bare)).not.toContain('<path');
    expect(labelText(bare)).toBe('CP-7\nid aer-07\nSítio <Norte> & Filhos\nV-01, V-02\n');
  });
});
