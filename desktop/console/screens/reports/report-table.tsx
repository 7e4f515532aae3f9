import { Link } from 'wouter-preact';
import { reportWords } from '#words/reports.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { type Column, RecordTable, useShownRows } from '../../components/record-table.tsx';
import { now } from '../../data/clock.ts';
import { csvOf, fileName, saveFile } from '../../data/csv.ts';
import { usePondsByBatch } from '../../data/places.ts';
import { isoDay } from '../../i18n/format.ts';

/** A table that can be taken along as a file, as it stands. */
export function ReportTable<Row>({
  label,
  address,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  address: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  const words = reportWords();
  const kept = columns.flatMap(({ name, raw }) => (raw === undefined ? [] : [{ name, raw }]));
  const shown = useShownRows(address, columns, rows);
  const save = () =>
    saveFile(
      fileName(label, isoDay(now.value)),
      csvOf(
        kept.map(({ name }) => name),
        shown.map((row) => kept.map(({ raw }) => raw(row))),
      ),
    );
  return (
    <div class="stack">
      <RecordTable<Row> label={label} address={address} columns={columns} rows={rows} keyOf={keyOf} />
      <div class="row no-print">
        <Button look="quiet" onClick={save}>
          <Icon name="download" size={18} /> {words.csv}
        </Button>
        <Button look="quiet" onClick={() => print()}>
          <Icon name="print" size={18} /> {words.print}
        </Button>
      </div>
    </div>
  );
}

export const BatchLink = ({ code }: { code: string }) => (
  <Link href={`/lotes/${encodeURIComponent(code)}`}>{code}</Link>
);

type BatchLine = { batch_id: string; batch_number: string; pond_cod: string; days_in_production: number };

/** Where a batch swims now; where it was stocked only when nobody knows better. */
export function usePlace(): (line: Pick<BatchLine, 'batch_id' | 'pond_cod'>) => string {
  const places = usePondsByBatch();
  return ({ batch_id, pond_cod }) => places.get(batch_id)?.join(' · ') ?? pond_cod;
}

/** Of which batch a line speaks: first columns of every table. */
export function batchColumns<Row extends BatchLine>(
  words: ReturnType<typeof reportWords>,
  placeOf: ReturnType<typeof usePlace>,
): Column<Row>[] {
  return [
    {
      name: words.batch,
      of: ({ batch_number }) => <BatchLink code={batch_number} />,
      raw: ({ batch_number }) => batch_number,
    },
    { name: words.pond, of: placeOf, raw: placeOf },
  ];
}

export function dayColumn<Row extends BatchLine>(words: ReturnType<typeof reportWords>): Column<Row> {
  return {
    name: words.day,
    isNumber: true,
    of: ({ days_in_production }) => days_in_production,
    raw: ({ days_in_production }) => days_in_production,
  };
}
