import { plainJson } from '#contract/plain-number.ts';
import { accountDelete, accountDeleteQuery, accountExport } from '#contract/resources/account-data.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { invalidToken, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { tooManyAttempts } from '../attempts.ts';
import { requirePresentPassword } from '../present-password.ts';
import { deleteAccount } from './delete-account.ts';
import type { Account, AccountDataDeps, AccountDataQueries } from './ports.ts';

const common = { tag: 'Users', path: '/users/me', access: { who: 'account' }, token: 'never' } as const;

/** What the law gives a person about the data of the account: all of it, and the end of it. */
export function accountDataRoutes(deps: AccountDataDeps): Route[] {
  async function ownAccount(request: Pick<Request<unknown, unknown, unknown>, 'caller'>): Promise<Account> {
    const account = await deps.queries.account(signedIn(request).userId);
    if (account === null) throw invalidToken();
    return account;
  }
  return [
    route({
      ...common,
      method: 'GET',
      path: '/users/me/export',
      summary: 'Everything the account holds and owns, as one JSON file',
      answers: { 200: { schema: accountExport } },
      async handle(request) {
        const account = await ownAccount(request);
        const waitMs = await deps.exports.take(account.id);
        if (waitMs !== null) throw tooManyAttempts('You exported your data several times already', waitMs);
        const name = `account-${isoOf(deps.now()).slice(0, 10)}.json`;
        return {
          answer: {
            status: 200,
            headers: {
              'Content-Disposition': `attachment; filename="${name}"`,
              'Cache-Control': 'no-store',
            },
            text: {
              type: 'application/json; charset=utf-8',
              chunks: gathered(accountExportText(deps, account)),
            },
          },
        };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Delete the account of the caller; logins and tokens end at once',
      query: accountDeleteQuery,
      body: accountDelete,
      answers: { 204: null },
      async handle(request) {
        const account = await ownAccount(request);
        const { password } = request.body;
        await requirePresentPassword(deps, account, { field: 'password', password, source: request.source });
        await deleteAccount(deps, account.id, {
          withFarms: request.query.force ?? false,
          actor: account.id,
        });
        return { answer: { status: 204 } };
      },
    }),
  ];
}

const PIECE = 16_384;

/** Many short pieces as fewer long ones: each goes out by itself. */
async function* gathered(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    yield waiting;
    waiting = '';
  }
  if (waiting !== '') yield waiting;
}

/** One JSON object with everything that is the person's, piece by piece: years of a farm never stand in memory. */
async function* accountExportText(
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
