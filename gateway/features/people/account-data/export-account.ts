import { plainJson } from '#contract/plain-number.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Account, AccountDataQueries } from './ports.ts';

/** One JSON object with everything that is the person's, piece by piece: years of a farm never stand in memory. */
export async function* accountExportText(
  deps: Pick<Kernel, 'now'> & { queries: Pick<AccountDataQueries, 'sectionsOf'> },
  account: Account,
): AsyncIterable<string> {
  const { password_hash: _, rev: __, ...own } = account;
  yield `{"exported_at":${plainJson(isoOf(deps.now()))},\n"account":${plainJson(own)}`;
  for await (const { name, rows } of deps.queries.sectionsOf(account.id)) {
    yield `,\n${plainJson(name)}:[`;
    let before = '\n';
    for await (const row of rows) {
      yield `${before}${plainJson(row)}`;
      before = ',\n';
    }
    yield ']';
  }
  yield '}\n';
}
