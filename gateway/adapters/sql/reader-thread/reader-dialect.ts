import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { PlanOnceCompiler } from '../plan-once.ts';

export type ReadStatement = (sql: string, params: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** A Kysely dialect whose queries are read elsewhere; nothing can be changed through it. */
export function readerDialect(read: ReadStatement): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      // the rows are those of the query that Kysely typed
      return { rows: (await read(sql, parameters)) as Row[] };
    },
    streamQuery() {
      throw new Error('lists are read in chunks');
    },
  };
  const noTransactions = () => Promise.reject(new Error('this connection only reads'));
  const nothing = () => Promise.resolve();
  const driver: Driver = {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PlanOnceCompiler(),
  };
}
