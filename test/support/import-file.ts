import type { App, Reply } from './app.ts';
import type { StockedFarm } from './stocked-farm.ts';

export type Note = { row: number; column: string | null; code: string; message: string };
export type Report = {
  rows: number;
  to_import: number;
  imported: number;
  already_there: number;
  skipped: number;
  left_out: number;
  errors: Note[];
  warnings: Note[];
  notes: Note[];
  questions: { code: string; column: string; proposed: string; message: string }[];
  ignored_columns: string[];
  format: { separator: string | null; decimal: string; encoding: string | null };
  reading: {
    file: string;
    sheet: string | null;
    logger: string | null;
    header_row: number;
    date_order: string | null;
    columns: {
      column: string;
      heading: string;
      position: number;
      unit: string | null;
      time: string | null;
    }[];
    preview: { row: number; before: Record<string, string>; after: Record<string, string | number | null> }[];
  };
};

/** Sends a file as the console does; as a dry run, unless the query says otherwise. */
export function sendFile(
  app: App,
  farm: Pick<StockedFarm, 'token' | 'farmId'>,
  kind: string,
  {
    file,
    query = '',
    media = 'text/csv',
    language,
  }: {
    file: string | Uint8Array;
    query?: string;
    media?: string;
    language?: string;
  },
): Promise<Reply> {
  return app.call('POST', `/imports/${kind}?farm_id=${farm.farmId}${query}`, {
    token: farm.token,
    body: file,
    headers: { 'Content-Type': media, ...(language === undefined ? {} : { 'Accept-Language': language }) },
  });
}

export const reportOf = (reply: Reply): Report => {
  if (reply.status !== 200) throw new Error(`answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body as Report;
};

export const codesOf = (notes: readonly Note[]) => notes.map(({ row, column, code }) => [row, column, code]);
